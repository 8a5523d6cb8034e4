"""Bodies and joints as a tree, how each body moves, and what loads act on it."""
