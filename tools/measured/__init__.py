"""Other people's measurements, modelled: rows of a file, one published figure each, and how far the cost model is off."""
