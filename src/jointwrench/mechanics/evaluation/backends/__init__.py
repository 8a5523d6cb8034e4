"""What runs a program: compiled C, or numpy."""
