"""The methods of a System: inverse dynamics, kinematics, and their base."""
