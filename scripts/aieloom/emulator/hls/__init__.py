"""HLS components by themselves: what Vitis calls C simulation, a top function under its own test bench."""
