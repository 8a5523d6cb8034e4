"""What counts as zero, as closed, as converged: every such number, with its reason."""

# -- when a model is derived, in many digits

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

# -- at run time, in doubles: parts of something of the same unit, or of what counts as one in the
# -- model itself (see motion.natural_units), so that no decision depends on the units of numbers

#: Errors of position constraints after which Newton's method is done: rounding of doubles, 2e-16,
#: in sums of some terms.
EXACTLY_CLOSED = 1e-15

#: Errors of position constraints that are closed, where rounding lets no step make them smaller:
#: mechanisms some 1e5 times as far away, or joints turned as often, as they are large.
CLOSED = 1e-9

#: Errors of given states that count as none: what integration with the default tolerances leaves
#: after long times, what somebody rounded to seven digits.
OBEYED = 1e-6

#: Singular values of constraints below which entries are open, not determined: slopes are known to
#: 1e-15, and twice as many digits are gone in poses whose positions are known to half of theirs.
SINGULAR = 1e-10

#: Entries of unit vectors that are zero: rounding, 1e-16, over SINGULAR.
OPEN = 1e-6

#: What says nothing beside the quantities that it is computed from: rounding, 1e-16, of sums whose
#: terms cancel to some digits, over many steps of a simulation.
NOTHING = 1e-12

#: By how much rates may contradict each other that follow from formulas of more coordinates than
#: speeds: what differentiation and evaluation of long formulas leave.
CONTRADICTION = 1e-9
