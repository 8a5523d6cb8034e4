"""What the package says of a described model, and how that must change with the description."""

import re
import warnings
from dataclasses import dataclass, field, replace

import described as data
import numpy as np
from described_numbers import KINDS, Digits, Numeric, _child, modes, near, ranks, solved
from described_systems import Built
from sympy.physics.mechanics import dynamicsymbols

from jointwrench.identification import base_parameters

TOLERANCE = 1e-9
#: Of spaces spanned by rows that are known to 1e-9 and may be nearly parallel.
SPACE = 1e-6
PLAIN = data.Units()
WRENCH = (data.FORCE,) * 3 + (data.ENERGY,) * 3
PARAMETERS = (data.MASS,) + ((1, 1, 0),) * 3 + (data.INERTIA,) * 6
INVERSE = ["generalized_forces", "joint_wrenches", "constraint_wrenches", "unsupplied"]
INVERSE += ["multipliers", "constraint_errors", "mass_matrix", "conditioning", "solved_loads"]
FORWARD = ["udot", "joint_wrenches", "multipliers", "conditioning", "energy"]
PARTS = ("inverse", "slopes", "forward", "linearize", "identification")
#: What there is nothing to compare of, by the first words of its name, where a part is refused.
FOLLOWING = {
    "inverse": ("inverse", "slopes", "forward", "linearize", "open", "undetermined"),
    "slopes": ("slopes", "open in slopes"),
    "forward": ("forward", "linearize", "open in forward", "open in linearize"),
    "linearize": ("linearize", "open in linearize"),
    "identification": ("number of base", "space of base", "open in space", "regressor"),
    "conditioning": ("inverse conditioning", "open in inverse conditioning"),
}


def parts_for(model, seed):
    """Return what is asked of a model: derivations are dear, so not all of each one."""
    is_tree = not model.closings
    is_plain = not any("quaternion" in joint.kind for joint in model.joints)
    is_small = len(model.group("u")) < 7 if is_tree else len(model.group("q")) < 4 and is_plain
    chosen = ["inverse"]
    if not model.unknowns:
        chosen += ["forward"] * (seed % 2)
        chosen += ["linearize"] * (seed % 4 == 1 and is_small)
        chosen += ["identification"] * (seed % 4 == 2 and is_tree)
    return [*chosen, *["slopes"] * (seed % 4 == 0 and is_small)]


def minus(a, b):
    return tuple(x - y for x, y in zip(a, b, strict=True))


@dataclass
class Answers:
    """Decisions by name, and numbers by name: an array, the dimension of each entry."""

    decisions: dict = field(default_factory=dict)
    numbers: dict = field(default_factory=dict)


class Asked:
    """A described model with all that is asked of the package."""

    def __init__(self, model, parts=PARTS, units=PLAIN):
        self.model, self.answers, self.units = model, Answers(), units
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.built = Built(model)
            for part in parts:
                needed = "forward" if part == "linearize" else "inverse"
                if part == "inverse" or self.answers.decisions[needed] == "answered":
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

    def dimensions(self, symbols, name):
        own = self.built.coordinates if name == "q" else self.built.speeds
        if name == "udot":
            own = [u.diff(dynamicsymbols._t) for u in own]
        known = dict(zip(own, self.model.group(name), strict=True))
        return [known[symbol].dimension for symbol in symbols]

    def inputs(self, model):
        """Return keyword arguments of constants, specifieds and time."""
        values = self.built.inputs
        groups = {"constants": model.constants, "specifieds": model.specifieds}
        given = {name: {s: values[s] for s in own} for name, own in groups.items()}
        return {**given, "times": float(self.model.time.value)}

    @property
    def order(self):
        """The places of the model's speeds in the order of joints."""
        own = self.built.speeds
        return [own.index(u) for u in self.u]

    # -- inverse ----------------------------------------------------------------

    def inverse(self):
        self.idyn = idyn = self.built.inverse()
        open_ = {str(getattr(k, "name", k)): v for k, v in idyn.undetermined.items()}
        self.answers.decisions["undetermined"] = dict(sorted(open_.items()))
        q, u, udot = idyn.coordinates, idyn.speeds, idyn.accelerations
        self.q, self.u = q, u
        state = self.built.inputs
        self.point = tuple([state[s] for s in group] for group in (q, u, udot))
        self.qs, self.us, self.udots = (
            self.dimensions(group, name) for group, name in ((q, "q"), (u, "u"), (udot, "udot"))
        )
        self.forces = [minus(data.ENERGY, (d[0], d[1], d[2] + 1)) for d in self.us]
        result = idyn.compile(INVERSE, backend="numpy")(*self.point, **self.inputs(idyn))
        for name in INVERSE:
            self.keep("inverse", name, getattr(result, name))

    def slopes(self):
        """Derivatives of generalized forces."""
        groups = {"q": self.qs, "u": self.us, "udot": self.udots}
        run = self.idyn.compile("generalized_forces", backend="numpy", derivatives=tuple(groups))
        result = run(*self.point, **self.inputs(self.idyn))
        for wrt, group in groups.items():
            array = result.derivative("generalized_forces", wrt)
            dimensions = [minus(a, b) for a in self.forces for b in group]
            self.numbers(f"slopes d/d{wrt}", array, dimensions)

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
        if name in ("generalized_forces", "unsupplied"):
            return self.forces
        if name in ("joint_wrenches", "constraint_wrenches"):
            return list(WRENCH) * (len(model.joints) + len(model.closings))
        if name == "multipliers":
            return [data.FORCE if row == data.LENGTH else data.ENERGY for row in self.rows]
        if name == "constraint_errors":
            return [(row[0], 0, -level) for level in range(3) for row in self.rows]
        if name == "mass_matrix":
            return [minus(self.forces[i], self.udots[j]) for i in range(n) for j in range(n)]
        if name == "conditioning":
            return [data.NONE]
        if name == "energy":
            return [data.ENERGY] * 2
        if name == "udot":
            return self.udots
        if name == "solved_loads":
            return [load.magnitude.dimension for load in model.unknowns]
        assert name == "of forces"
        columns = PARAMETERS * (len(self.model.bodies) + (self.model.base is not None))
        return [minus(f, p) for f in self.forces for p in columns]

    @property
    def rows(self):
        """The dimension of each equation of the closings."""
        rows = []
        for closing in self.model.closings:
            if closing.kind in ("contact", "rod"):
                rows += [data.LENGTH] * (len(closing.directions) or 1)
                continue
            translations, rotations = KINDS[closing.kind]
            rows += [data.LENGTH] * {"all": 3, "across": 2, "along": 1}[translations]
            rows += [data.NONE] * {"all": 3, "tilt": 2, "twist": 1, "none": 0}[rotations]
        return rows

    # -- forward ----------------------------------------------------------------

    def forward(self):
        self.fdyn = fdyn = self.built.forward()
        result = fdyn.compile(FORWARD, backend="numpy")(*self.point[:2], **self.inputs(fdyn))
        for name in FORWARD:
            self.keep("forward", name, getattr(result, name))

    def linearize(self):
        fdyn = self.fdyn
        linear = fdyn.linearize(*self.point[:2], **self.inputs(fdyn))
        known = dict(zip([*self.q, *self.u], [*self.qs, *self.us], strict=True))
        self.answers.decisions["linearize states"] = list(map(str, linear.states))
        states = [known[state] for state in linear.states]
        rates = [minus(d, (0, 0, 1)) for d in states]
        self.numbers("linearize A", linear.A, [minus(a, b) for a in rates for b in states])

    # -- identification ---------------------------------------------------------

    def identification(self):
        idyn, given = self.idyn, self.inputs(self.idyn)
        result = idyn.compile("regressor", backend="numpy")(*self.point, **given)
        self.keep("regressor", "of forces", result.regressor)
        given.pop("times")
        base = base_parameters(idyn, **given)
        self.answers.decisions["number of base parameters"] = len(base)
        bodies = PARAMETERS * (len(base.names) // 10)
        span = base.matrix * [float(self.units.factor(d)) for d in bodies]
        rows = np.linalg.svd(span / np.linalg.norm(span, axis=1, keepdims=True))[2]
        known = rows[: len(base)].T
        self.numbers("space of base parameters", known @ known.T, [data.NONE] * len(bodies) ** 2)


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
        if size > (SPACE if name.startswith("space") else tolerance):
            yield f"number {name}[{k}]", before[k], after[k]


# -- laws ---------------------------------------------------------------------------

POWERS = [(-6, 0, 0), (0, -9, 0), (0, 0, -3), (-3, -3, 0), (3, 6, 3)]
POWERS += [(3, 0, 0), (0, 6, 0), (0, 0, 3), (-6, -9, -3), (-3, 0, 3)]
UNITS = tuple(data.Units(*powers) for powers in POWERS)


def headings(seed):
    """Return a generic heading, and one that renames ground's axes."""
    numbers = np.random.default_rng([seed, 23])
    generic, _ = np.linalg.qr(numbers.normal(size=(3, 3)))
    renamed = np.eye(3)[numbers.permutation(3)]
    zero = (data.exact(0, data.LENGTH),) * 3
    shift = tuple(data.Number(float(x), data.LENGTH) for x in numbers.uniform(-2, 2, 3))
    pairs = (generic, shift), (renamed, zero)
    return [data.Heading(data.matrix_of(x * np.linalg.det(x)), way) for x, way in pairs]


def turned_back(answers, model, matrix):
    """Return answers with wrenches on ground turned, and forgotten where they are open."""
    members = (*model.joints, *model.closings)
    rows = [m for m, x in enumerate(members) if _child(x).body == data.GROUND]
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


#: What is asked: the law, and which descriptions it compares.
LAWS = ("oracle", "units and rounding", "heading")


def broken(model, seed, laws=LAWS, parts=None):
    """Yield (law, what, before, after) for all that breaks a law.

    Laws are ``oracle``, ``units``, ``rounding``, ``heading``, ``renamed`` (of ground's axes),
    both of the first two at once, and ``heading`` stands for either of the last two by the seed.
    """
    parts = parts or parts_for(model, seed)
    near_by = near(model)
    assert near_by is not None, model.name
    here, there = Numeric(model, Digits), Numeric(near_by.model, Digits)
    singular = singular_parts(here, there)
    if "inverse" in singular:
        return
    left_out = [name for part in singular for name in FOLLOWING[part]]
    asked = Asked(model, parts)
    if "oracle" in laws:
        yield from (("oracle", *found) for found in against_numbers(asked, here, there, singular))
    units = UNITS[seed % len(UNITS)]
    moved = {"units": (units, units.of(model)), "rounding": (PLAIN, data.nudged(model, seed))}
    moved["units and rounding"] = (units, units.of(data.nudged(model, seed)))
    for law in laws:
        if law in moved:
            own, other = moved[law]
            after = Asked(other, parts, own).answers
            law = f"{law} {own.powers}" if own != PLAIN else law
            yield from ((law, *found) for found in compare(asked.answers, after, own, left_out))
        elif law in ("heading", "renamed"):
            yield from ((law, *found) for found in turned(asked, parts, law, seed, left_out))


def turned(asked, parts, law, seed, left_out):
    """Yield what differs where the model is turned and moved.

    Sums of symbols are numbers then: what is generic no more is compared with numbers alone.
    """
    model = asked.model
    heading = headings(seed)[law == "renamed" or seed % 3 == 0]
    moved = heading.of(model)
    after = Asked(moved, parts).answers
    matrix = np.array([[float(x.value) for x in row] for row in heading.rotation])
    other, here = turned_back(after, model, matrix), turned_back(asked.answers, model, np.eye(3))
    found = list(compare(here, other, skip=["forward energy", *left_out]))
    if found and len(set(symbols_of(moved))) < len(set(symbols_of(model))):
        answers = [Asked(without_symbols(x), parts).answers for x in (model, moved)]
        here = turned_back(answers[0], model, np.eye(3))
        other = turned_back(answers[1], model, matrix)
        found = list(compare(here, other, skip=["forward energy", *left_out]))
    return found


def opened(numeric):
    """Return which components of wrenches are open."""
    return np.isnan(numeric.joint_wrenches.astype(float))


def symbols_of(thing):
    """Return the symbols of a model's numbers."""
    found = []
    data.mapped(thing, lambda x: found.append(x) or x if x.style == "symbol" else x)
    return found


def without_symbols(model):
    """Return the model with numbers for all symbols."""
    return data.mapped(model, lambda x: replace(x, style="float") if x.style == "symbol" else x)


def singular_parts(here, there):
    """Return what is singular at a state though not near it, or not in all assemblies.

    Angles that a loop holds in gimbal lock are singular everywhere; a structure that cannot move
    has no states nearby, but perhaps other assemblies, in which other forces are open, or other
    ones than for symbols of other values.
    """
    free = [[solved(x.twists(joint)).rank for joint in x.model.joints] for x in (here, there)]
    if ranks(here) != ranks(there) or free[1] != [len(x.u) for x in there.model.joints]:
        return ("inverse",)
    rigid = modes(there)
    if any((opened(mode) != opened(there)).any() for mode in (*rigid, *[here] * bool(rigid))):
        return ("inverse",)
    if free[0] != free[1] or solved(here.moving[0]).rank != solved(there.moving[0]).rank:
        return ("forward", "conditioning")
    return ()


def against_numbers(asked, here, there, singular=()):
    """Yield what differs from the dense balance; what is open is so near the state, too."""
    answers = asked.answers
    if answers.decisions["inverse"] == "answered":
        named = open_names(there, asked)  # a special pose may determine a force by accident
        if {*answers.decisions["undetermined"]} != named:
            yield "names of what is open", named, answers.decisions["undetermined"]
        for name, array in expected(here, asked).items():
            is_open = np.isnan(expected(there, asked)[name].astype(float))
            values, dimensions = answers.numbers[f"inverse {name}"]
            yield from differing(
                f"inverse {name}", values, np.where(is_open, np.nan, array), dimensions
            )
    if "forward udot" in answers.numbers and "forward" not in singular:
        values, dimensions = answers.numbers["forward udot"]
        right = here.free_accelerations()[asked.order]
        yield from differing("forward udot", values, right, dimensions)


def open_names(numeric, asked):
    """Return the names of joints, closings and speeds whose forces are open."""
    is_open = opened(numeric).any(axis=1)
    names = {x.name for x, is_ in zip(numeric.members, is_open, strict=True) if is_}
    own = [*asked.built.speeds, *asked.built.unknowns]
    values = np.concatenate([numeric.generalized_forces, numeric.solved_loads]).astype(float)
    return names | {x.name for x, value in zip(own, values, strict=True) if np.isnan(value)}


def expected(numeric, asked):
    """Return outputs of inverse dynamics by the dense balance."""
    model, order = numeric.model, asked.order
    by_joints = model.actuated is None and not model.unknowns
    return {
        "generalized_forces": numeric.generalized_forces[order],
        "joint_wrenches": numeric.joint_wrenches,
        "constraint_wrenches": numeric.constraint_wrenches,
        "unsupplied": (0 if by_joints else 1) * numeric.unsupplied[order],
        "solved_loads": numeric.solved_loads,
        "mass_matrix": numeric.mass_matrix[order][:, order],
    }


def differing(name, values, array, dimensions):
    array = np.array(array, dtype=float).ravel()
    if np.isnan(values).tolist() != np.isnan(array).tolist():
        places = (np.flatnonzero(np.isnan(x)).tolist() for x in (array, values))
        yield f"open {name}", *places
        return
    size, k = error(array, values, dimensions)
    if size > TOLERANCE:
        yield f"number {name}[{k}] by {size:.1e}", array[k], values[k]
