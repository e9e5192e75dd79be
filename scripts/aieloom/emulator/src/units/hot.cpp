// The runtime's busy half as one translation unit: what runs for every word, block and change of fibers.
#include "buffer.cpp"
#include "byte_stream.cpp"
#include "context.cpp"
#include "scheduler.cpp"
#include "run.cpp"
#include "dma.cpp"
#include "memory_tile.cpp"
