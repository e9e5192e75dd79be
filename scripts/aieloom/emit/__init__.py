"""Generated sources: what templates print, and the file set they make."""
