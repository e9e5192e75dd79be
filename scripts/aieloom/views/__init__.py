"""What templates print of layers on the array: what strategies share, and what printing asks of them."""
