"""The mechanics on the tree, in scalars of a graph: the derivation and its outputs."""
