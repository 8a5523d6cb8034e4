"""The mechanics, all on the tree and in the graph: the derivation, and what is asked of it."""
