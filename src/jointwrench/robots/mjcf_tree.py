"""From MuJoCo's compiled model to bodies, joints and loops."""

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation
from sympy import Expr, Integer
from sympy.core.function import AppliedUndef
from sympy.physics.mechanics import RigidBody
from sympy.physics.mechanics.joint import Joint

from .. import CoupledJoint, LoopJoint, QuaternionJoint
from ..extend import ModelBuilder, exact
from ..records.model_elements import HERE, Inertial, Place
from .mjcf_compiled import CompiledMjcf

#: Our kinds of joints in the order of MuJoCo's mjtJoint.
KINDS = ("free", "quaternion", "prismatic", "pin")

#: Where MuJoCo has how much a weld cares about rotation; with zero it is a ball.
TORQUE_SCALE = 10


class MjcfTree:
    """Bodies (ground first), joints and loops of a compiled model, by MuJoCo's numbers."""

    def __init__(self, compiled: CompiledMjcf, symbolic: bool) -> None:
        self.compiled, self.model = compiled, compiled.model
        self.model_builder = ModelBuilder("world", symbolic)
        self.bodies: list[RigidBody] = [self.model_builder.builder.ground]
        self.joints: list[Joint] = []
        self.loops: list[LoopJoint] = []
        self.left_out = list(compiled.unread())
        self.formulas = self._couplings()
        for number in range(1, self.model.nbody):
            self._add_body(number)
        self._add_rotors()
        self._add_loops()

    def pose(self, qpos: np.ndarray) -> np.ndarray:
        """Return the coordinates, joint by joint, at MuJoCo's."""
        known = {
            symbol: qpos[self.model.jnt_qposadr[k] + i]
            for k, joint in enumerate(self.joints)
            for i, symbol in enumerate(joint.coordinates)
        }
        return np.array(
            [known[symbol] for symbol in self.model_builder.coordinates.values()], float
        )

    @property
    def kept(self) -> list[set[Expr]]:
        """Coordinates and speeds of all joints but balls, then of those with motors or leaders."""
        scalar = [joint for joint in self.joints if len(joint.speeds) == 1]
        rates = {joint.coordinates[0]: joint.speeds[0] for joint in scalar}
        driven = [self.position(k) for k in self.compiled.driven if self.compiled.is_scalar(k)]
        leaders = {q for formula in driven for q in formula.atoms(AppliedUndef)}
        others = [joint for joint in self.joints if not isinstance(joint, QuaternionJoint)]
        plain = {x for joint in others for x in (*joint.coordinates, *joint.speeds)}
        return [plain, leaders | {rates[q] for q in leaders}]

    def coordinate(self, number: int) -> Expr:
        return ModelBuilder.coordinate(self.compiled.joints[number])

    def position(self, number: int) -> Expr:
        """Return the coordinate of a hinge or slide, or the formula for it."""
        return self.formulas.get(number, self.coordinate(number))

    def speed(self, number: int) -> Expr:
        """Return the time derivative of that in speeds."""
        known = {joint.coordinates[0]: joint.speeds[0] for joint in self.joints if joint.speeds}
        found = self.position(number)
        leaders = found.atoms(AppliedUndef)  # of all coordinates it takes quadratic time
        return sum((found.diff(q) * known[q] for q in leaders), Integer(0))

    # -- bodies and joints ----------------------------------------------------------

    def _add_body(self, number: int) -> None:
        """Add a body, with massless ones between its joints where it has several."""
        model, name = self.model, self.compiled.name("body", number)
        own = Inertial(float(model.body_mass[number]), inertia=np.diag(model.body_inertia[number]))
        inertial = own.seen_from(rotation(model.body_iquat[number]), model.body_ipos[number])
        inner = self.bodies[model.body_parentid[number]]
        place = rotation(model.body_quat[number]), np.array(model.body_pos[number])
        first, count = model.body_jntadr[number], model.body_jntnum[number]
        for joint in range(first, first + count - 1):
            between = f"{name}_after_{self.compiled.joints[joint]}"
            outer = self.model_builder.add_body(between, is_ideal=True)
            self.joints.append(self._add_joint(joint, inner, outer, place))
            inner, place = outer, HERE
        body = self.model_builder.add_body(name, inertial)
        self.bodies.append(body)
        if count:
            self.joints.append(self._add_joint(first + count - 1, inner, body, place))
        else:
            self.model_builder.add_joint("weld", f"{name}_weld", inner, body, place)

    def _add_joint(self, number: int, parent: RigidBody, child: RigidBody, place: Place) -> Joint:
        """Add a joint; without it the child's frame is turned and placed so in the parent's."""
        model, builder = self.model, self.model_builder
        kind = KINDS[model.jnt_type[number]]
        ends = kind, self.compiled.joints[number], parent, child
        if kind == "free":
            return builder.add_joint(*ends)
        anchor, axis = np.array(model.jnt_pos[number]), np.array(model.jnt_axis[number])
        start = float(model.qpos0[model.jnt_qposadr[number]])
        turn, position = place[0], place[1] + place[0] @ anchor
        if number in self.formulas:
            motion = {"axis": axis, "formula": self.formulas[number], "start": start}
            return builder.add_follower(*ends, (turn, position), (np.eye(3), anchor), **motion)
        other_turn = np.eye(3)
        if kind == "prismatic":
            position = position - start * (turn @ axis)
        if kind == "pin" and start:
            other_turn = Rotation.from_rotvec(start * axis).as_matrix()
        places = (turn, position), (other_turn, anchor)
        return builder.add_joint(*ends, *places, axis=None if kind == "quaternion" else axis)

    def _add_rotors(self) -> None:
        """Add a flywheel on ground for the armature of each hinge and slide."""
        for k, name in enumerate(self.compiled.joints):
            armature = self.compiled.total("armature", k)
            if armature and not self.compiled.is_scalar(k):
                self.left_out.append(f"armature of {name}")
            elif armature:
                inertial = Inertial(inertia=np.diag([0, 0, armature]))
                rotor = self.model_builder.add_body(f"{name}_rotor", inertial, is_ideal=True)
                ends, turns = (self.bodies[0], rotor), [(self.position(k), "z")]
                self.model_builder.builder.add_joint(
                    CoupledJoint, f"{name}_armature", *ends, coordinates=(), rotations=turns
                )

    # -- equalities -----------------------------------------------------------------

    def _couplings(self) -> dict[int, Expr]:
        """Return the coordinates of coupled joints as formulas of others'."""
        model, formulas = self.model, dict[int, Expr]()
        for k, name, kind in self.compiled.equalities():
            if kind != "joint":
                continue
            one, other, factors = model.eq_obj1id[k], model.eq_obj2id[k], model.eq_data[k, :5]
            if one in formulas and other >= 0 and not factors[2:].any() and factors[1]:
                one, other = other, one
                factors = np.array([-factors[0], 1, 0, 0, 0]) / factors[1]
            starts = [model.qpos0[model.jnt_qposadr[j]] if j >= 0 else 0.0 for j in (one, other)]
            leader = self.coordinate(other) if other >= 0 else Integer(0)
            apart = leader - exact(starts[1])
            terms = (exact(c) * apart**n for n, c in enumerate(factors) if c)
            known = {self.coordinate(j): x for j, x in formulas.items()}
            formula = sum(terms, exact(starts[0])).xreplace(known)
            own = self.coordinate(one)
            if one in formulas or formula.has(own):
                raise ValueError(
                    f"`source` must have couplings of joints that follow one after the other, but "
                    f"{name!r} couples {self.compiled.joints[one]} of "
                    f"{self.compiled.place} once more. Leave it out."
                )
            formulas[one] = formula
            formulas = {j: x.xreplace({own: formula}) for j, x in formulas.items()}
        return formulas

    def _add_loops(self) -> None:
        for k, name, kind in self.compiled.equalities():
            if kind in ("connect", "weld"):
                turns = kind == "weld" and self.model.eq_data[k, TORQUE_SCALE] != 0
                own = "weld" if turns else "spherical"
                self.loops.append(self.model_builder.add_loop(name, own, *self._ends(k, kind)))

    def _ends(self, number: int, kind: str) -> Iterator[tuple[RigidBody, Place]]:
        """Yield the body of either side of an equality, and the place in it."""
        model, data = self.model, self.model.eq_data[number]
        is_site = model.eq_objtype[number] == self.compiled.mujoco.mjtObj.mjOBJ_SITE
        places, turns = [data[:3], data[3:6]], [np.eye(3), np.eye(3)]
        if kind == "weld":  # of the second body in the first one
            places, turns[0] = places[::-1], rotation(data[6:10])
        numbers = model.eq_obj1id[number], model.eq_obj2id[number]
        for place, turn, k in zip(places, turns, numbers, strict=True):
            if is_site:
                body = self.bodies[model.site_bodyid[k]]
                yield body, (rotation(model.site_quat[k]), model.site_pos[k])
            else:
                yield self.bodies[k], (turn, place)


def rotation(quaternion: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion, scalar part first."""
    return Rotation.from_quat(np.roll(quaternion, -1)).as_matrix()
