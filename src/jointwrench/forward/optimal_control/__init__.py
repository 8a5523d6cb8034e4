"""Optimal control: the equations of motion as constraints of a nonlinear program."""
