"""What counts as zero, as closed, as converged: every such number, with its reason."""

#: Half a unit in the last place of a double near one: how the model's decimal numbers are rounded.
ROUNDED = 2.0**-53

#: How many times over roundings of the data may add up before a value counts as more than these.
#: Numbers come from a few operations in doubles of the user's own, each of which rounds again.
DATA = 64.0

#: What is left of zero by exact data in 50 digits, as a part of the terms; half of the digits are
#: for cancellation in what the terms are made of.
EXACT = 1e-25

#: What is left of equations in doubles, as a part of their terms, before they are solved in digits.
NEARLY_CLOSED = 1e-11

#: When they are solved in digits: chord steps gain as many digits each as the slopes have.
CONVERGED = 1e-40

#: Singular values below this part of the largest belong to equations that depend on the others, of
#: slopes in parts of the equations' terms, away from singular states.  It only chooses which
#: equations Newton's method solves: what holds is decided in digits.
REDUNDANT = 1e-5
