"""What the package says of a described model, and how that must change with the description."""

import re
import warnings
from dataclasses import dataclass, field

import numpy as np
from described import (
    ENERGY,
    FORCE,
    GROUND,
    INERTIA,
    LENGTH,
    MASS,
    NONE,
    Heading,
    Number,
    Units,
    exact,
    matrix_of,
    nudged,
)
from described_numbers import KINDS, Digits, Numeric, _child, near, ranks, solved
from described_systems import Built
from sympy.physics.mechanics import dynamicsymbols

from jointwrench import ForwardDynamics, InverseDynamics, base_parameters

TOLERANCE = 1e-9
PLAIN = Units()
WRENCH = (FORCE,) * 3 + (ENERGY,) * 3
PARAMETERS = (MASS,) + ((1, 1, 0),) * 3 + (INERTIA,) * 6
INVERSE = [
    "generalized_forces",
    "joint_wrenches",
    "constraint_wrenches",
    "unsupplied",
    "multipliers",
    "constraint_errors",
    "mass_matrix",
    "bias",
    "conditioning",
    "solved_loads",
    "regressor",
]
FORWARD = ["udot", "joint_wrenches", "multipliers", "conditioning", "energy"]
PARTS = ("inverse", "forward", "identification")
#: What there is nothing to compare of, by the first words of its name, where a part is refused.
FOLLOWING = {
    "inverse": ("inverse", "forward", "linearize", "open", "undetermined"),
    "forward": ("forward", "linearize", "open in forward", "open in linearize"),
    "identification": ("number of base", "space of base", "open in space"),
}
SLOPES = ("generalized_forces",)


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b, strict=True))


@dataclass
class Answers:
    """Decisions by name, and numbers by name: an array, the dimension of each entry."""

    decisions: dict = field(default_factory=dict)
    numbers: dict = field(default_factory=dict)


class Asked:
    """A described model with all that is asked of the package."""

    def __init__(self, model, parts=("inverse", "forward", "identification"), units=PLAIN):
        self.model, self.answers, self.units = model, Answers(), units
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.built = Built(model)
            for part in parts:
                self.attempt(part, getattr(self, part))

    def attempt(self, name, ask):
        """Ask something; a refusal is a decision."""
        try:
            ask()
        except (ValueError, TypeError, ArithmeticError, NotImplementedError) as error:
            text = re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "#", str(error))
            self.answers.decisions[name] = f"{type(error).__name__}: {text[:160]}"
        else:
            self.answers.decisions[name] = "answered"

    # -- values -----------------------------------------------------------------

    @property
    def state(self):
        """Values of coordinates, speeds, accelerations by symbol."""
        time, values = dynamicsymbols._t, {}
        for symbols, name in ((self.built.coordinates, "q"), (self.built.speeds, "u")):
            numbers = [float(n.value) for n in self.model.group(name)]
            values.update(zip(symbols, numbers, strict=True))
        accelerations = [u.diff(time) for u in self.built.speeds]
        numbers = [float(n.value) for n in self.model.group("udot")]
        values.update(zip(accelerations, numbers, strict=True))
        return values

    def dimensions(self, symbols, name):
        own = self.built.coordinates if name == "q" else self.built.speeds
        if name == "udot":
            own = [u.diff(dynamicsymbols._t) for u in own]
        known = dict(zip(own, self.model.group(name), strict=True))
        return [known[symbol].dimension for symbol in symbols]

    def inputs(self, model):
        """Return keyword arguments of constants, specifieds and time."""
        values = {**self.built.values, **self.built.specified}
        return {
            "constants": {s: values[s] for s in model.constants},
            "specifieds": {s: values[s] for s in model.specifieds},
            "times": float(self.model.time.value),
        }

    @property
    def order(self):
        """The places of the model's speeds in the order of joints."""
        own = self.built.speeds
        return [own.index(u) for u in self.u]

    # -- inverse ----------------------------------------------------------------

    @property
    def options(self):
        options = {"loops": self.built.loops}
        if self.model.actuated is not None:
            options["actuated"] = [self.built.speeds[k] for k in self.model.actuated]
        if self.built.unknowns:
            options["solve_for"] = self.built.unknowns
        return options

    def inverse(self):
        self.idyn = idyn = InverseDynamics(self.built.system, **self.options)
        open_ = {str(getattr(k, "name", k)): v for k, v in idyn.undetermined.items()}
        self.answers.decisions["undetermined"] = dict(sorted(open_.items()))
        q, u, udot = idyn.coordinates, idyn.speeds, idyn.accelerations
        self.q, self.u = q, u
        state = self.state
        self.point = tuple([state[s] for s in group] for group in (q, u, udot))
        self.qs, self.us, self.udots = (
            self.dimensions(group, name) for group, name in ((q, "q"), (u, "u"), (udot, "udot"))
        )
        self.forces = [minus(ENERGY, (d[0], d[1], d[2] + 1)) for d in self.us]
        slopes = ("q", "u", "udot") if len(u) < (4 if self.model.closings else 7) else ()
        names = [x for x in INVERSE if x != "regressor" or not self.model.closings]
        result = idyn.compile(names, backend="numpy", derivatives=slopes)(
            *self.point, **self.inputs(idyn)
        )
        members = [*idyn.joints, *idyn.loops]
        self.names = [member.name for member in members]
        for name in names:
            self.keep("inverse", name, getattr(result, name))
        by = {"q": self.qs, "u": self.us, "udot": self.udots}
        for name in SLOPES:
            own = self.shape_of(name)
            for wrt in slopes:
                array = np.reshape(result.derivative(name, wrt), (len(own), -1))
                dimensions = [minus(a, b) for a in own for b in by[wrt]]
                self.numbers(f"inverse d{name}/d{wrt}", array.ravel(), dimensions)

    def numbers(self, name, array, dimensions):
        array = np.ravel(np.asarray(array, dtype=float))
        assert array.size == len(dimensions), (name, array.size, len(dimensions))
        self.answers.numbers[name] = array, dimensions
        self.answers.decisions[f"open in {name}"] = np.isnan(array).tolist()

    def keep(self, part, name, array):
        if isinstance(array, dict):
            array = list(array.values())
        self.numbers(f"{part} {name}", array, self.shape_of(name))

    def shape_of(self, name):
        """Return the dimensions of all entries of an output."""
        model, n = self.model, len(self.us)
        if name in ("generalized_forces", "unsupplied", "bias"):
            return self.forces
        if name in ("joint_wrenches", "constraint_wrenches"):
            return list(WRENCH) * (len(model.joints) + len(model.closings))
        if name == "multipliers":
            return [FORCE if row == LENGTH else ENERGY for row in self.rows]
        if name == "constraint_errors":
            return [(row[0], 0, -level) for level in range(3) for row in self.rows]
        if name == "mass_matrix":
            return [minus(self.forces[i], self.udots[j]) for i in range(n) for j in range(n)]
        if name == "conditioning":
            return [NONE]
        if name == "energy":
            return [ENERGY] * 2
        if name == "udot":
            return self.udots
        if name == "solved_loads":
            return [load.magnitude.dimension for load in model.unknowns]
        assert name == "regressor"
        columns = PARAMETERS * (len(self.model.bodies) + (self.model.base is not None))
        return [minus(f, p) for f in self.forces for p in columns]

    @property
    def rows(self):
        """The dimension of each equation of the closings."""
        rows = []
        for closing in self.model.closings:
            if closing.kind == "contact":
                rows += [LENGTH] * len(closing.directions)
                continue
            translations, rotations = KINDS[closing.kind]
            rows += [LENGTH] * {"all": 3, "across": 2, "along": 1}[translations]
            rows += [NONE] * {"all": 3, "tilt": 2, "twist": 1, "none": 0}[rotations]
        return rows

    # -- forward ----------------------------------------------------------------

    def forward(self):
        if self.built.unknowns:
            return
        self.fdyn = fdyn = ForwardDynamics(self.built.system, loops=self.built.loops)
        given = self.inputs(fdyn)
        result = fdyn.compile(FORWARD, backend="numpy")(*self.point[:2], **given)
        for name in FORWARD:
            self.keep("forward", name, getattr(result, name))
        if not self.model.closings and len(self.us) < 7:
            linear = fdyn.linearize(*self.point[:2], **given)
            states = [*self.qs, *self.us]
            rates = [minus(d, (0, 0, 1)) for d in states]
            dimensions = [minus(a, b) for a in rates for b in states]
            self.numbers("linearize A", linear.A, dimensions)

    # -- identification ---------------------------------------------------------

    def identification(self):
        if self.model.closings or self.built.unknowns or not hasattr(self, "idyn"):
            return
        idyn, given = self.idyn, self.inputs(self.idyn)
        base = base_parameters(idyn, constants=given["constants"], specifieds=given["specifieds"])
        self.answers.decisions["number of base parameters"] = len(base)
        bodies = PARAMETERS * (len(base.names) // 10)
        span = base.matrix * [float(self.units.factor(d)) for d in bodies]
        rows = np.linalg.svd(span / np.linalg.norm(span, axis=1, keepdims=True))[2]
        known = rows[: len(base)].T
        self.numbers("space of base parameters", known @ known.T, [NONE] * len(bodies) ** 2)


def largest_by_dimension(array, dimensions):
    """Return the largest number of each dimension, at least one: models are near one."""
    sizes = {}
    for x, d in zip(np.abs(array), dimensions, strict=True):
        if np.isfinite(x):
            sizes[d] = max(sizes.get(d, 1.0), x)
    return np.array([sizes.get(d, 1.0) for d in dimensions])


def error(before, after, dimensions):
    """Return the largest difference relative to the largest number of a dimension, and where."""
    wrong = np.abs(after - before) / largest_by_dimension(before, dimensions)
    wrong = np.where(np.isfinite(wrong), wrong, 0.0)
    return (wrong.max(), int(np.argmax(wrong))) if wrong.size else (0.0, 0)


def compare(one, other, units=PLAIN, skip=(), tolerance=TOLERANCE):
    """Yield what differs between the answers for a model and for another one in these units."""
    parts = [name for name in PARTS if one.decisions.get(name) != other.decisions.get(name)]
    skip = (*skip, *(word for part in parts for word in FOLLOWING[part]))
    for part in parts:
        yield f"decision {part}", one.decisions.get(part), other.decisions.get(part)
    for name in {**one.decisions, **other.decisions}:
        if name.startswith(tuple(skip)) or name in PARTS:
            continue
        if one.decisions.get(name) != other.decisions.get(name):
            yield f"decision {name}", one.decisions.get(name), other.decisions.get(name)
    for name in one.numbers:
        if name not in other.numbers or name.startswith(tuple(skip)):
            continue
        (before, dimensions), (after, _) = one.numbers[name], other.numbers[name]
        if len(before) != len(after):
            continue  # a decision
        after = after / np.array([float(units.factor(d)) for d in dimensions])
        size, k = error(before, after, dimensions)
        if size > tolerance:
            yield f"number {name}[{k}]", before[k], after[k]


# -- laws ---------------------------------------------------------------------------

UNITS = tuple(
    Units(*powers)
    for powers in (
        (-6, 0, 0),
        (0, -9, 0),
        (0, 0, -3),
        (-3, -3, 0),
        (3, 6, 3),
        (3, 0, 0),
        (0, 6, 0),
        (0, 0, 3),
        (-6, -9, -3),
        (-3, 0, 3),
    )
)


def headings(seed):
    """Return a generic heading, and one that renames ground's axes."""
    numbers = np.random.default_rng([seed, 23])
    generic, _ = np.linalg.qr(numbers.normal(size=(3, 3)))
    renamed = np.eye(3)[numbers.permutation(3)]
    zero = (exact(0, LENGTH),) * 3
    shift = tuple(Number(float(x), LENGTH) for x in numbers.uniform(-2, 2, 3))
    found = []
    for matrix, way in ((generic, shift), (renamed, zero)):
        found.append(Heading(matrix_of(matrix * np.linalg.det(matrix)), way))
    return found


def turned_back(answers, model, matrix):
    """Return answers with wrenches on ground turned, and forgotten where they are open."""
    members = (*model.joints, *model.closings)
    rows = [m for m, x in enumerate(members) if _child(x).body == GROUND]
    decisions, numbers = dict(answers.decisions), dict(answers.numbers)
    for name, (array, dimensions) in answers.numbers.items():
        if name.split()[-1] in ("joint_wrenches", "constraint_wrenches"):
            wrenches = array.reshape(-1, 2, 3).copy()
            wrenches[rows] = wrenches[rows] @ matrix
            open_ = [m for m in rows if np.isnan(wrenches[m]).any()]
            wrenches[open_] = 0
            numbers[name] = wrenches.ravel(), dimensions
            decisions[f"open in {name}"] = np.isnan(wrenches.ravel()).tolist()
    if "undetermined" in decisions:
        on_ground = {members[m].name for m in rows}
        kept = {k: v for k, v in decisions["undetermined"].items() if k not in on_ground}
        decisions["undetermined"] = kept
    return Answers(decisions, numbers)


def broken(model, seed, laws=("units", "rounding", "heading", "oracle"), units=None):
    """Yield (law, what, before, after) for all that breaks a law."""
    asked = Asked(model)
    first, singular = asked.answers, singular_parts(model)
    for part in singular:
        yield "singular", part, None, None
    left_out = [name for part in singular for name in FOLLOWING[part]]
    if "oracle" in laws:
        yield from (("oracle", *found) for found in against_numbers(asked, singular))
    others = []
    if "units" in laws:
        others += [
            (f"{u}", u, u.of(model)) for u in units or (UNITS[seed % 10], UNITS[(seed + 4) % 10])
        ]
    if "rounding" in laws:
        others.append(("rounding", PLAIN, nudged(model, seed)))
    for name, u, other in others:
        for found in compare(first, Asked(other, units=u).answers, u, left_out):
            yield (name, *found)
    if "heading" in laws:
        for k, heading in enumerate(headings(seed)):
            turned = Asked(heading.of(model)).answers
            matrix = np.array([[float(x.value) for x in row] for row in heading.rotation])
            other = turned_back(turned, model, matrix)
            here = turned_back(first, model, np.eye(3))
            for found in compare(here, other, skip=["forward energy", *left_out]):
                yield (("heading", "renamed")[k], *found)


def singular_parts(model):
    """Return what is singular at the state of a model though not near it."""
    generic, here = near(model), Numeric(model)
    assert generic is not None, model.name
    if ranks(generic) != ranks(here):
        return ("inverse",)
    if not model.closings and solved(generic.mass_matrix).rank != solved(here.mass_matrix).rank:
        return ("forward",)
    return ()


def against_numbers(asked, singular=(), arithmetic=Digits):
    """Yield what differs from the dense balance; what is open is so near the state, too."""
    answers, model = asked.answers, asked.model
    if "inverse" in singular:
        return
    here, there = Numeric(model, arithmetic), near(model)
    if answers.decisions["inverse"] == "answered":
        for name, array in expected(here, asked).items():
            is_open = np.isnan(expected(there, asked)[name].astype(float))
            values, dimensions = answers.numbers[f"inverse {name}"]
            yield from differing(
                f"inverse {name}", values, np.where(is_open, np.nan, array), dimensions
            )
    if "forward udot" in answers.numbers and "forward" not in singular:
        values, dimensions = answers.numbers["forward udot"]
        yield from differing(
            "forward udot", values, here.free_accelerations()[asked.order], dimensions
        )


def expected(numeric, asked):
    """Return outputs of inverse dynamics by the dense balance."""
    model, order = numeric.model, asked.order
    by_joints = model.actuated is None and not model.unknowns
    return {
        "generalized_forces": numeric.generalized_forces[order],
        "joint_wrenches": numeric.joint_wrenches,
        "unsupplied": (0 if by_joints else 1) * numeric.unsupplied[order],
        "solved_loads": numeric.solved_loads,
        "mass_matrix": numeric.mass_matrix[order][:, order],
    }


def differing(name, values, array, dimensions):
    array = np.array(array, dtype=float).ravel()
    if np.isnan(values).tolist() != np.isnan(array).tolist():
        yield (
            f"open {name}",
            np.flatnonzero(np.isnan(array)).tolist(),
            np.flatnonzero(np.isnan(values)).tolist(),
        )
        return
    size, k = error(array, values, dimensions)
    if size > TOLERANCE:
        yield f"number {name}[{k}] by {size:.1e}", array[k], values[k]
