"""The mechanics: inverse dynamics, mass matrix, unknown loads, all on the tree and in the graph."""
