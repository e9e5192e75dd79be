// The same by the name that newer versions include.
#pragma once
#include "version.h"
