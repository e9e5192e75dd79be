"""Engines in the programmable logic: a matrix engine that is used again and again."""
