"""Models as people have them: URDF, MJCF and OSIM files as sympy Systems."""
