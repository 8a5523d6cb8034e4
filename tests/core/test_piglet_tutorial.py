"""Every printed result of the piglet-limb tutorial, with exact numbers."""

from collections.abc import Iterator

import pytest
from sympy import Expr, ImmutableMatrix, Matrix, Rational, cos, sin, symbols, zeros
from sympy.physics.mechanics import dynamicsymbols
from tutorial_limb import Limb

from jointwrench.mechanics.spatial.wrench import Wrench

R = Rational


@pytest.fixture
def limb() -> Iterator[Limb]:
    """Return the limb of three segments in real time, as the tutorial has it."""
    generic = dynamicsymbols._t
    dynamicsymbols._t = symbols("t", real=True)
    yield Limb(3)
    dynamicsymbols._t = generic


def harmonics(t: Expr, constant: Expr, **amplitudes: Expr) -> Expr:
    """Return a sum such as ``constant + s4 * sin(4 t) + c6 * cos(6 t)``."""
    functions = {"s": sin, "c": cos}
    return constant + sum(
        amplitude * functions[name[0]](int(name[1:]) * t) for name, amplitude in amplitudes.items()
    )


def column(*entries: Expr) -> ImmutableMatrix:
    return ImmutableMatrix(entries)


def planar(fx: Expr, fy: Expr, mz: Expr) -> ImmutableMatrix:
    return column(fx, fy, 0, 0, 0, mz)


# The joint wrench of the last segment, at P_2, in the frames of segments 2 and 1.
def expected_p2_in_c(t: Expr) -> ImmutableMatrix:
    return planar(
        harmonics(t, R(0), s4=-R(81, 50), s6=-R(6, 25)),
        harmonics(t, -R(147, 50), c4=-R(81, 50), c6=-R(6, 25)),
        harmonics(t, R(0), s4=R(81, 250), s6=R(6, 125)),
    )


def expected_p2_in_b(t: Expr) -> ImmutableMatrix:
    return planar(
        harmonics(t, R(0), s2=-R(6, 25), s4=R(147, 50)),
        harmonics(t, -R(81, 50), c2=-R(6, 25), c4=-R(147, 50)),
        harmonics(t, R(0), s4=R(81, 250), s6=R(6, 125)),
    )


def test_wrenches_seen_by_an_observer_on_the_segment_above(limb: Limb) -> None:
    t, frame = limb.time, limb.frame_of(1)
    dynamic, fictitious = limb.seen_at_joint(limb.observer(1), 2)

    def seen(wrench: Wrench) -> Matrix:
        return limb.plug_in(wrench.to_matrix(frame))

    assert seen(dynamic) == planar(R(24, 25) * sin(4 * t), -R(24, 25) * cos(4 * t), 0)
    assert seen(fictitious.dalembert) == planar(
        R(6, 25) * sin(2 * t),
        R(6, 25) * cos(2 * t) + R(81, 50),
        -R(81, 250) * sin(4 * t) - R(6, 125) * sin(6 * t),
    )
    assert seen(fictitious.euler) == zeros(6, 1)
    assert seen(fictitious.centrifugal) == planar(
        -R(27, 50) * sin(4 * t), R(27, 50) * cos(4 * t), 0
    )
    assert seen(fictitious.coriolis) == planar(-R(36, 25) * sin(4 * t), R(36, 25) * cos(4 * t), 0)


def test_up_the_chain_each_joint_from_its_own_segment(limb: Limb) -> None:
    t = limb.time
    p_0, p_1, p_2 = limb.joint_wrenches([limb.observer(i) for i in range(3)])

    def in_frame_of(segment: int, wrench: Wrench) -> Matrix:
        return limb.plug_in(wrench.to_matrix(limb.frame_of(segment)))

    moment_1 = harmonics(t, R(0), s2=R(33, 125), s4=-R(36, 25), s6=R(6, 125))
    assert in_frame_of(2, p_2) == expected_p2_in_c(t)
    assert in_frame_of(1, p_2) == expected_p2_in_b(t)
    assert in_frame_of(1, p_1) == planar(
        harmonics(t, R(0), s2=-R(16, 25), s4=R(147, 50)),
        harmonics(t, -R(297, 100), c2=-R(16, 25), c4=-R(147, 50)),
        moment_1,
    )
    assert in_frame_of(0, p_1) == planar(
        harmonics(t, R(0), s2=R(297, 100), s6=R(147, 50)),
        harmonics(t, -R(16, 25), c2=-R(297, 100), c6=-R(147, 50)),
        moment_1,
    )
    assert in_frame_of(0, p_0) == planar(
        harmonics(t, R(0), s2=R(297, 100), s6=R(147, 50)),
        harmonics(t, -R(23, 25), c2=-R(297, 100), c6=-R(147, 50)),
        harmonics(t, R(0), s2=-R(264, 125), s4=-R(36, 25), s6=-R(288, 125)),
    )


def test_dalembert_wrench_on_the_middle_segment(limb: Limb) -> None:
    t = limb.time
    _, fictitious = limb.seen_at_joint(limb.observer(1), 1)
    assert limb.plug_in(fictitious.dalembert.to_matrix(limb.frame_of(1))) == planar(
        R(2, 5) * sin(2 * t), R(2, 5) * cos(2 * t) + R(27, 10), -R(3, 25) * sin(2 * t)
    )
