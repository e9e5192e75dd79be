// half for the lint: what is asked of loops is the same of float, whose operators are no shorter.
#pragma once

using half = float;
