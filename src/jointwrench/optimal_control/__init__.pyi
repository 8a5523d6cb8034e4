from .opty_equations import forward_problem as forward_problem
from .opty_equations import opty_problem as opty_problem
