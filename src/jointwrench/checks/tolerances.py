"""All tolerances and limits of the package, each with its reason.

Each tolerance is relative to a quantity of the same unit, so that no decision depends on units.
"""

# -- numbers in data of people and files

#: Relative error of numbers that were written with three digits: even sampling steps, equal
#: instants (as a part of a step), columns of rotation matrices, the triangle inequality of moments
#: of inertia.
THREE_DIGITS = 1e-3

#: Deviation of a rotation matrix with such entries from an orthogonal one: a product of two
#: entries has twice the error of one.
THREE_DIGITS_TWICE = 2e-3

#: Deviation of a measured unit quaternion's length from 1: noise stays below it, other data do
#: not.
QUATERNION_LENGTH = 0.1

#: Error of a decimal number, as a part of its last digit: a float of 32 bits is off by this much.
DIGIT_ERROR = 0.01

#: Error of a rounded time beyond half of its last digit: the rounding of doubles.
LAST_DIGIT = 1e-3

#: Distance of points from a line, as a part of their extent, below which they do not define an
#: orientation.
COLLINEAR = 1e-3

#: Smallest relative error that is assumed of measured forces, so that no force has unlimited
#: weight.
FORCE_ACCURACY = 1e-5

#: Friction and rotor inertia that measured forces do not show, as a part of the value that would
#: explain all of the forces: too small to identify.
UNIDENTIFIABLE = 1e-3

#: Squared extent of a body, as a part of that in other directions, below which the body counts as
#: flat: a hundredth of the length, thinner than forces can identify.
SLENDER = 1e-4

#: Deviation, in revolutions, of the step between two samples of an angle from whole revolutions
#: and from the neighbouring steps, up to which the step is a jump and not motion: noise and
#: accelerations of records.
WHOLE_TURN = 1 / 8

#: Median change from step to step, in revolutions, above which samples are no motion but, for
#: instance, random states.
SMOOTH_TURN = 1 / 16

# -- roundoff of doubles

#: Sums whose terms cancel to this part of the largest term are zero: roundoff, 1e-16, with some
#: lost digits, over many steps of a simulation.
CANCELLED = 1e-12

#: Results of matrix decompositions and long formulas below this part of their inputs are zero:
#: eigenvalues, determinants, singular values and coefficients lose more digits than sums.
ROUNDING = 1e-9

#: Zero in records of single precision, whose last digit is 6e-8.
SINGLE = 4e-7

#: Values whose relative difference is smaller are equally large; the first one is chosen.
TIED = 1e-6

# -- decisions of a derivation, in many digits

#: Bound of the error by underflow in an operation of doubles.
UNDERFLOW = 1e-250

#: Half a unit in the last place of a double near 1: the rounding error of the model's decimal
#: numbers.
ROUNDOFF = 2.0**-53

#: Largest perturbation of a decimal number, in units of its roundoff (at least half of it), by
#: which the effect of roundoff is measured.  A number comes from a few operations of the user's in
#: doubles, each of which rounds.
SHIFT = 16.0

#: Factor by which a value must exceed its measured roundoff to be nonzero.  Perturbations can
#: cancel each other by chance; the factor keeps that improbable.
GUARD = 4.0

#: Value in many digits, as a part of the value in twenty digits fewer, below which it is exactly
#: zero: far from 1e-20, the ratio of a zero, and from 1, that of a nonzero value; between them
#: more digits decide.
SURELY_ZERO = 1e-8

#: Residual of redundant equations where the others are satisfied, as a part of their terms: half
#: of the digits are for cancellation.
EXACT = 1e-25

#: Entries of a matrix of doubles up to this size are zeros: cosines of right angles after some
#: roundings.
ZERO_COS = GUARD * SHIFT * ROUNDOFF

#: Residual of equations in doubles, as a part of their terms, before they are solved in many
#: digits.
NEARLY_CLOSED = 1e-11

#: Residual of loop equations, as a part of the loop's lengths, for points that a file states with
#: six digits: an equation that others satisfy to this part is redundant.
ROUNDED_POINTS = 1e-6

#: Correct digits that may be missing before the last chord step in many digits: each step gains as
#: many digits as the Jacobian has, so that the next one completes them.
CONVERGED = 10

#: Singular values, as parts of the largest, below which equations depend on others: for Jacobians
#: in units of the terms, away from singular states.  It only chooses the equations for Newton's
#: method; redundancy is decided in many digits.
REDUNDANT = 1e-5

#: Imaginary part, as a part of a number, that is an error of Newton's method.
REAL = 1e-11

#: Largest difference of two statements of a model about the same motion, for numbers near 1: half
#: of the digits, for decimals that the user computed.
STATED = 1e-8

#: Motion of a fixed point in the step of time 1e-5 between two evaluations of positions: closed
#: loops and quaternions drift by at most a hundredth of its square; moving points move by about
#: the step.
FIXED = 1e-8

#: Deviation of a position's change in that step from its stated rate, of the order of the step's
#: square.
SAME_RATE = 1e-6

#: Squared singular values of motions of unit size, below which there is no motion: roundoff is
#: 1e-16, motions at random states are rarely below 1e-3 squared.
NO_MOTION = 1e-10

#: Component of a unit vector of coupled motions from which a joint takes part in the motion.
COUPLED = 1e-6

#: Singular values, as parts of the largest, from which dependent coordinates are far from
#: singular, and below which they are dependent: they only choose the dependent coordinates.
REGULAR, SINGULAR_POSE = 1e-3, 1e-7

#: Share of the independent coordinates in a unit motion in the pose of a file, below which they
#: are at a dead centre, so that others are chosen.
DEAD_CENTER = 0.2

#: Gaps, as parts of the lengths, in data of four digits or more.
ROUNDED_DATA = 1e-4

# -- at run time, in doubles, in the model's natural units (see evaluation.natural_units)

#: Position errors at which Newton's method ends: roundoff, 2e-16, in sums of some terms.
EXACTLY_CLOSED = 1e-15

#: Position errors of closed loops that roundoff keeps from becoming smaller: mechanisms 1e5 times
#: as far from the origin as they are large, or joints after as many revolutions.
CLOSED = 1e-9

#: Errors of specified states that count as consistent: drift of long integrations with the default
#: tolerances, numbers of seven digits.
CONSISTENT = 1e-6

#: Constraint errors of positions, and of speeds and accelerations, as parts of typical sizes, that
#: are not reported: measurement, and derivatives of splines.  A linkage's end may miss its pivot
#: by a hundredth of the distance of the pivots; three hundredths are reported.
VIOLATED, VIOLATED_BY_RATES = 1e-2, 3e-2

#: Singular values of constraints below which entries are undetermined: Jacobians have errors of
#: 1e-15, and poses that are known to half of their digits lose twice as many.
SINGULAR = 1e-10

#: Entries of unit vectors in a null space that are zero: roundoff, 1e-16, divided by SINGULAR.
UNDETERMINED = 1e-6

#: Determinants at run time, as parts of their size in other poses, below which a linear system is
#: singular: the roundoff of angles of some revolutions.
DEFICIENT = 1e-14

#: Lower bound of squares in divisors, as a part of their size in other poses: below the roundoff
#: of zero, 1e-32.
SMALLEST_SQUARE = 1e-34

#: Difference of rates that follow from formulas of more coordinates than speeds: errors of
#: differentiation and evaluation.
CONTRADICTION = 1e-9

#: Steps of Newton's method below which their direction is only roundoff.
SHORT_STEP = 1e-7

#: Length of a combination of columns of unit length below which they are dependent: half of the
#: digits, since the covariance has its square.
DEPENDENT = 1e-8

#: Errors of a reached pose, in parts of the model's length and in radians, before the last step,
#: which squares them; and the relative gain in the weighted wishes from which one more step is
#: made (coordinates have its square root as error).
REACHED, SETTLED = 1e-7, 1e-6

#: Relative change of a sum of squares from which it defines the curvature: half of the digits.
CURVATURE_KNOWN = 1e-8

#: Relative gain at which a search for a minimum ends, far below the effect of noise in forces.
SEARCH_DONE = 1e-10

#: Error of the logarithm of a spline's smoothness, too small to see in a curve.
REFINED = 1e-4

# -- muscles

#: Distance of a coordinate from the range of a path point within which it counts as inside, as in
#: OpenSim: roundoff.
RANGE_MARGIN = 1e-5

#: Change of length, in metres, at which a path over several surfaces has converged, as in OpenSim.
PATH_FOUND = 5e-4

#: Part of the predicted decrease that a full step must achieve (Armijo's rule).
ARMIJO = 1e-4

#: Newton's last step to the nearest point of an ellipsoid whose mean half axis is 1.
ON_ELLIPSOID = 1e-11

#: Part of the largest line of a derivation below which a line is compared with that line: the
#: moment of a free joint is zero and has no size for comparison.
UNSIZED = 1e-4

# -- friction, and reduction of residuals

#: Residual of a friction law, as a part of the dry friction, up to which it is solved.
SOLVED = 1e-6

#: Slip that counts as rest, as a part of the speeds from which it is computed: roundoff, 1e-16, of
#: differences, and errors of 1e-14 of loops' speeds from `close_motion`.
NO_SLIP = 1e-13

#: Added to divisors that may be zero: it matters only there.
TINY = 1e-150

#: A speed of which only the sign matters, as a part of the specified one.
SIGN_ONLY = 1e-60

# -- sizes

#: Operations of second derivatives beyond which they are refused: their derivation takes minutes,
#: and compilers fail.
MOST_OPERATIONS = 2e6

# -- pictures

#: Component of a vector in a picture's plane, as a part of its length, below which it is normal to
#: the plane: roundoff of rotations.
ACROSS = 1e-9

#: Component of a vector normal to the picture, as a part of its length, up to which its label does
#: not mention it: labels have three digits.
TILTED = 1e-3
