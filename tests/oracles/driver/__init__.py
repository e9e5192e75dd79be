"""AMD's driver of the array as an oracle: what a plan configures goes through its calls, which refuse what no array has."""
