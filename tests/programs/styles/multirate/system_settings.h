// Sizes that seven fifths of and five sevenths of are whole vectors.
#pragma once
#define BaseSize (5 * 7)
#define VECTOR_LENGTH 8
#define InputSize (2 * VECTOR_LENGTH * BaseSize)
#define NIterations 2
