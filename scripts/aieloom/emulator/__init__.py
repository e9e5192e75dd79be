"""The emulator: ADF, AIE API, HLS and XRT headers, their runtime, and what builds and runs programs with them."""
