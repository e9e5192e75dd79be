"""The search for a mapping: what every layer could be, what of that goes together, and which design wins and why."""
