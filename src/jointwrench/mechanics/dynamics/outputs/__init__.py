"""What can be asked of a model: outputs of all kinds, their derivatives, programs and formulas."""
