"""The recursion over the tree: motion outwards, wrenches inwards, the mass matrix."""
