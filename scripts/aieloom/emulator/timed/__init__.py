"""Cycles of any ADF project: what the vendor's compiler would make of each kernel, and what waits for what."""
