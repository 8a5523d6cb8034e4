"""What do pose, velocity and Jacobian of a robot's hand cost?  Franka Panda, against Pinocchio."""
