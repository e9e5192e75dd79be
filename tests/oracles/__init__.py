"""Other people's sources as oracles: AMD's headers, AMD's driver, the public tables of the devices."""
