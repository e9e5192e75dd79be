"""AMD's Vitis tools: where they are, what each release wants to be told, how they are run and what they report."""
