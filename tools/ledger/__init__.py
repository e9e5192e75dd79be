"""A ledger of what designs are: generated files, what is said of them, what they compute, time and memory of the commands.

A rebuilding keeps it to the byte. `python -m tools.ledger write` on the commit before, `compare` after each step, `diff NAME`
where a digest is another one. It only types what users type, so it holds whatever becomes of the modules behind.
"""
