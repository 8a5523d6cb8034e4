"""Bodies and joints as a tree, their motions and their loads."""
