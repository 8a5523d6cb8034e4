"""What a System is asked with: inverse dynamics, kinematics, and what all such methods share."""
