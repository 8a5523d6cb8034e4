"""All tolerances (for zero, closed, converged, even and the like) and limits, with their reasons.

Each tolerance is relative to a quantity of the same unit, so that no decision depends on units.
"""

# -- data as people and files write them

#: Numbers of three digits: steps of sampling that is even, instants that are the same (of a step),
#: columns of rotation matrices, the triangle inequality of moments of inertia.
THREE_DIGITS = 1e-3

#: How far columns of such numbers may be from orthogonal unit vectors: twice, in a product of two.
THREE_DIGITS_TWICE = 2e-3

#: How far a measured quaternion's length may be from one: parts of it are noise, others are not.
QUATERNION_LENGTH = 0.1

#: Decimals: by how much of its last digit a multiple of it may be off, as floats of 32 bits are.
DIGIT_ERROR = 0.01

#: How much farther than its last digit a rounded time may be from what is meant: doubles.
LAST_DIGIT = 1e-3

#: Points closer to a line than this part of their extent do not tell an orientation.
COLLINEAR = 1e-3

#: How well forces are measured at best, compared with their size: none counts for more.
FORCE_ACCURACY = 1e-5

#: What friction and rotors are that no force shows, beside what would make all of the forces alone:
#: too little to be seen.
UNIDENTIFIABLE = 1e-3

#: The extent of a body, squared, beside that in other directions, below which it is none: a
#: hundredth, thinner than what anybody would identify from forces.
SLENDER = 1e-4

#: By which part of a turn the step between two samples of an angle may differ from whole turns and
#: the steps beside it, so that it is a jump and no motion: noise and accelerations of records.
WHOLE_TURN = 1 / 8

#: Changes from step to step, as parts of a turn, of which half are larger: samples of no motion,
#: such as random states.
SMOOTH_TURN = 1 / 16

# -- roundings of doubles

#: What says nothing beside the quantities that it is computed from: rounding, 1e-16, of sums whose
#: terms cancel to some digits, over many steps of a simulation.
CANCELLED = 1e-12

#: What says nothing after decompositions of matrices and long formulas, which lose more digits:
#: eigenvalues, determinants, singular values, coefficients of combinations.
ROUNDING = 1e-9

#: What says nothing in records of single precision, of which 6e-8 is the last digit.
SINGLE = 4e-7

#: Values whose difference is smaller are equally large: the first one counts.
TIED = 1e-6

# -- when a model is derived, in many digits

#: Half a unit in the last place of a double near one: how the model's decimal numbers are rounded.
ROUNDOFF = 2.0**-53

#: By how many of its roundings a decimal number is moved, at most and half of it at least, to see
#: what they do.  Numbers come from a few operations in doubles of the user's own, each of which
#: rounds again.
SHIFT = 16.0

#: How many times as far from zero as from what roundings make of it a value must be to be none:
#: large moves, beside a small factor, hide that moves cancel each other by chance.
GUARD = 4.0

#: What an exact zero is at most beside what it is in twenty digits fewer, far from both what many
#: digits leave of it (1e-20) and what is no zero (1); between them more digits decide.
SURELY_ZERO = 1e-8

#: What is left of redundant equations where the others hold, as a part of their terms: half of the
#: digits are for cancellation in what the terms are made of.
EXACT = 1e-25

#: How often the numbers of a matrix of doubles may be rounded: those of this size are zeros, the
#: cosines of quarter turns.
ZERO_COS = GUARD * SHIFT * ROUNDOFF

#: What is left of equations in doubles, as a part of their terms, before they are solved in digits.
NEARLY_CLOSED = 1e-11

#: What is left of the equations of loops, as a part of their lengths, by places that a file has
#: with some six digits: what others hold to that part as well, says nothing of its own.
ROUNDED_POINTS = 1e-6

#: When they are solved in digits, those that are left: chord steps gain as many digits each as the
#: slopes have, so that the next one finds all.
CONVERGED = 10

#: Singular values below this part of the largest belong to equations that depend on the others, of
#: slopes in parts of the equations' terms, away from singular states.  It only chooses which
#: equations Newton's method solves: what holds is decided in digits.
REDUNDANT = 1e-5

#: An imaginary part that is smaller than this part of a number is what Newton's method leaves.
REAL = 1e-11

#: By how much what a model states twice of its motion may differ, at numbers of the size of one:
#: half of the digits, for the user's own decimals of some operations.
STATED = 1e-8

#: By how much what is fixed may seem to move in the short time by which the instants of positions
#: differ (1e-5): in closed loops and quaternions by the square of that time, at most a hundredth of
#: it; what moves, moves by about that time.
FIXED = 1e-8

#: How far the change of a position in that time, by its square, may be from its stated rate.
SAME_RATE = 1e-6

#: Eigenvalues of products of motions (singular values squared) of the size of one, below which a
#: motion is none: roundings are 1e-16, motions at random states hardly below 1e-3 squared.
NO_MOTION = 1e-10

#: The share of a joint in a unit vector of coupled motions from which on it takes part in that.
COUPLED = 1e-6

#: Singular values, as parts of the largest, from which on dependent coordinates are far from
#: singular, and below which they are dependent: it only chooses what is called dependent.
REGULAR, SINGULAR_POSE = 1e-3, 1e-7

#: How little independent coordinates may move in a unit motion of a model in the pose of a file:
#: below it they are at a dead centre there, and others are called independent.
DEAD_CENTER = 0.2

#: Gaps, as parts of the lengths, that numbers rounded to four digits or more can leave.
ROUNDED_DATA = 1e-4

# -- at run time, in doubles, in units of the model's own (see motion.natural_units)

#: Errors of position constraints after which Newton's method is done: rounding of doubles, 2e-16,
#: in sums of some terms.
EXACTLY_CLOSED = 1e-15

#: Errors of position constraints that are closed, where rounding lets no step make them smaller:
#: mechanisms some 1e5 times as far away, or joints turned as often, as they are large.
CLOSED = 1e-9

#: Errors of given states that count as none: what integration with the default tolerances leaves
#: after long times, what somebody rounded to seven digits.
CONSISTENT = 1e-6

#: Parts of the usual errors up to which positions, and speeds and accelerations, may violate
#: constraints without a warning: measurement, and derivatives of splines.  A linkage's end may miss
#: its pivot by a hundredth of the distance of the pivots; by three hundredths is reported.
VIOLATED, VIOLATED_BY_RATES = 1e-2, 3e-2

#: Singular values of constraints below which entries are open, not determined: slopes are known to
#: 1e-15, and twice as many digits are gone in poses whose positions are known to half of theirs.
SINGULAR = 1e-10

#: Entries of unit vectors that are zero: rounding, 1e-16, over SINGULAR.
UNDETERMINED = 1e-6

#: What linear systems are at run time, as a part of what they are in other poses, where they are
#: singular but for rounding: 1e-16 of angles of some turns, in sums of some terms.
DEFICIENT = 1e-14

#: What squares are at least beside what they are in other poses, where they are divided by: less
#: than rounding leaves of nothing, 1e-32.
SMALLEST_SQUARE = 1e-34

#: By how much rates may contradict each other that follow from formulas of more coordinates than
#: speeds: what differentiation and evaluation of long formulas leave.
CONTRADICTION = 1e-9

#: Steps of Newton's method that are too short for their direction to say anything.
SHORT_STEP = 1e-7

#: What columns of unit length may become in combination before they depend on each other:
#: half of the digits, since squares of it are in the covariance.
DEPENDENT = 1e-8

#: What is left of a pose that is reached, in parts of the model's length and in radians, before the
#: last step, which leaves the square of it; which part of what is only wished for a last step of it
#: promises to gain: coordinates are found to the root of it.
REACHED, SETTLED = 1e-7, 1e-6

#: From which part of squares on their change tells how they curve: half of the digits.
CURVATURE_KNOWN = 1e-8

#: When a search for the least of something is done: far below what noise in forces does.
SEARCH_DONE = 1e-10

#: To what the logarithm of a spline's smoothness is found: no curve shows less.
REFINED = 1e-4

# -- muscles

#: By how much a coordinate may be beyond the range of a path point, as in OpenSim: a rounding.
RANGE_MARGIN = 1e-5

#: A path over several surfaces is found when its length changes by less, as in OpenSim: metres.
PATH_FOUND = 5e-4

#: What part of a step's promise it must keep to be taken whole (Armijo).
ARMIJO = 1e-4

#: Newton's last step to the nearest point of an ellipsoid, whose mean half axis is one.
ON_ELLIPSOID = 1e-11

#: Which part of the largest line of a derivation counts as nothing beside it: the moment of a free
#: joint vanishes, and has no size of its own to which rounding could be compared.
UNSIZED = 1e-4

# -- friction, and residuals that are made smaller

#: Which part of all that rubs a residual of friction may be: more is no solution.
SOLVED = 1e-6

#: The slip that counts as rest, as a part of the speeds from which it is computed: rounding, 1e-16,
#: of differences, and the errors of 1e-14 that `close_motion` leaves in the speeds of loops.
NO_SLIP = 1e-13

#: So little is added to sizes that are divided by: it counts beside zero alone.
TINY = 1e-150

#: A speed so small that only its sign counts, as a share of the one that is given.
SIGN_ONLY = 1e-60

#: Changes of the last step of Gauss and Newton, in standard deviations.
LAST_CHANGE = 1e-7

# -- sizes

#: Operations of second derivatives beyond which they are refused: some minutes of derivation, and
#: more than compilers can handle.
MOST_OPERATIONS = 2e6

# -- pictures

#: Part of a vector in a picture's plane below which it counts as across: what rounding turns.
ACROSS = 1e-9

#: Part of a vector that a picture may hide before its label says so: three digits are told.
TILTED = 1e-3
