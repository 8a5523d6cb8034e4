"""Tables of recorded data and results: reading and writing files."""
