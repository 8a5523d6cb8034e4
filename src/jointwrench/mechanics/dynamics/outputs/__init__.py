"""The outputs of a model, their derivatives, programs and formulas."""
