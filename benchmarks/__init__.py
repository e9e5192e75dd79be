"""Measurements: speed, memory, and models against published figures. Nothing here is asserted by a test."""
