from .opty_equations import forward_problem as forward_problem
