"""Networks of any size: every layer runs one after another on one engine, its weights and tensors in device memory.

`plan` decides (engine, tensors' places, commands), `emit` prints the engine and the host program, `commands` is the list that
the host program executes, `reference` what it computes, `cost` how long the model says that takes.
"""
