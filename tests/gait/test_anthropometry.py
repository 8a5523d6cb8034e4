"""Segment tables and the models that are built from them."""

from functools import partial

import numpy as np
import pytest
from marks import slow
from numpy.testing import assert_allclose
from refusals import refused
from sympy import Symbol

import jointwrench as jw
from jointwrench.gait.anthropometry import TABLES, Person, SegmentRow
from jointwrench.gait.body_models import planar_body, planar_leg

WINTER, DE_LEVA_FEMALE, DE_LEVA_MALE = TABLES.values()
PAIRS = ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")


def test_tables_sources_and_sex():
    assert "table 4.1" in WINTER.source
    assert WINTER.sex is None
    assert (DE_LEVA_FEMALE.sex, DE_LEVA_MALE.sex) == ("female", "male")
    assert "de Leva" in DE_LEVA_MALE.source


@pytest.mark.parametrize("table", [DE_LEVA_FEMALE, DE_LEVA_MALE])
@pytest.mark.parametrize("trunk", [("head", "trunk"), ("head_neck", "trunk_neck")])
def test_tables_de_levas_parts_are_the_whole(table, trunk):
    total = sum(table[name].mass for name in trunk) + 2 * sum(table[n].mass for n in PAIRS)
    assert total == pytest.approx(1, abs=2e-4)  # as printed, to a hundredth of a percent


def test_tables_winters_parts_are_the_whole():
    arm = sum(WINTER[name].mass for name in ("upper_arm", "forearm", "hand"))
    leg = sum(WINTER[name].mass for name in ("thigh", "shank", "foot"))
    assert arm == pytest.approx(WINTER["arm"].mass)
    assert leg == pytest.approx(WINTER["leg"].mass)
    assert WINTER["trunk_head"].mass + 2 * arm + 2 * leg == pytest.approx(1)
    assert WINTER["head_arms_trunk"].mass + 2 * leg == pytest.approx(1)


@pytest.mark.parametrize("name", ["leg", "foot_shank"])
def test_tables_winters_composites_fit_their_parts(name):
    """Table 4.1 prints composites too; parts in a line give them to its three digits."""
    parts = {"leg": ("thigh", "foot_shank"), "foot_shank": ("shank", "foot")}[name]
    first, second = (WINTER[part] for part in parts)
    assert first.mass + second.mass == pytest.approx(WINTER[name].mass)


def test_tables_known_numbers():
    assert WINTER["shank"] == SegmentRow(0.0465, 0.433, 0.302, 0.246, WINTER["shank"].ends)
    thigh = DE_LEVA_FEMALE["thigh"]
    assert (thigh.mass, thigh.center) == (0.1478, 0.3612)
    assert thigh.radius == (0.369, 0.364, 0.162)
    assert thigh.length == pytest.approx(0.3685 / 1.735)


def test_tables_refuses_unknown_segments_and_rows():
    refused(lambda: WINTER["tail"], "segment")
    refused(lambda: WINTER.with_rows(tail=0.1), "rows", TypeError)


def test_person_scales():
    shank = Person(2.0, 100.0, "de_leva_male")["shank"]
    length = 2 * 434.0 / 1741
    assert shank.length == pytest.approx(length)
    assert shank.mass == pytest.approx(4.33)
    assert shank.center == pytest.approx(0.4459 * length)
    assert shank.inertia == pytest.approx(4.33 * (0.249 * length) ** 2)
    assert shank.inertias[2] == pytest.approx(4.33 * (0.103 * length) ** 2)
    assert planar_leg(2.0, 100.0).constants[Symbol("l_foot")] == pytest.approx(0.5 * 0.152 * 2.0)


def test_person_measured_lengths_and_own_tables():
    table = WINTER.with_rows(thigh=SegmentRow(0.2, 0.5, 0.3, 0.25))
    person = Person(1.8, 80, table, {"thigh": 0.5})
    assert person["thigh"].mass == 16
    assert person["thigh"].center == 0.25
    assert repr(person) == "Person(height=1.8, mass=80, table='Winter/Dempster (changed)')"


@pytest.mark.parametrize(
    ("size", "argument"),
    [((170, 70), "height"), ((1700, 70), "height"), ((70, 1.7), "height"), ((1.7, 7e4), "mass")],
)
@pytest.mark.parametrize("make", [Person, planar_leg, planar_body])
def test_person_refuses_other_units(make, size, argument):
    refused(lambda: make(*size), argument)


@pytest.mark.parametrize("size", [(1.7, 1.7), (1.7, 0.07), (0.17, 70), (1.76, 726.0)])
@pytest.mark.parametrize("make", [Person, planar_leg])
def test_person_warns_of_what_is_no_person(make, size):
    with pytest.warns(UserWarning, match="fit no person. Use metres and") as found:
        make(*size)
    assert len(found) == 1


@pytest.mark.parametrize("size", [(0.25, 0.3), (0.5, 3.5), (1.85, 635), (2.72, 199), (1.7, 27)])
def test_person_knows_all_sizes_of_people(size):
    assert Person(*size)["thigh"].mass == pytest.approx(size[1] / 10)


def test_person_refuses():
    refused(lambda: Person(1.8, 80, "zatsiorsky"), "table")
    refused(lambda: Person(1.8, 80, 3), "table", TypeError)
    for mass in (-1, np.inf, np.nan):
        refused(lambda: Person(1.8, mass), "mass")
    refused(lambda: Person("1.8", 80), "height", TypeError)
    for length in (412, 41.2, 1.8, 0):
        refused(lambda: Person(1.8, 80, lengths={"thigh": length}), "lengths")
    for lengths in ({"thigh": None}, [0.4]):
        refused(lambda: Person(1.8, 80, lengths=lengths), "lengths", TypeError)
    refused(lambda: Person(1.8, 80)["foot"], "lengths")


def at_rest(make, *size, **options):
    """Return a model whose gravity is a symbol, and its result at rest."""
    model = make(1.75, 70.0, *size, gravity=Symbol("g"), **options)
    idyn = jw.InverseDynamics(model.system)
    constants = model.constants_of(idyn) | {"g": 9.81}
    still = np.zeros((3, len(idyn.speeds)))
    return model, idyn.compile(backend="numpy")(*still, constants=constants)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("trunk", [False, True])
def test_models_leg_at_rest(table, trunk):
    """Standing on nothing: the root carries the weight, the knee what is below it."""
    leg, result = at_rest(planar_leg, table, trunk=trunk)
    masses = {str(s): value for s, value in leg.constants.items() if str(s).startswith("m_")}
    below = masses["m_shank"] + masses["m_foot"]
    knee = result.joint_wrench("knee", frame=leg.chain.ground.frame)
    assert knee[1] == pytest.approx(9.81 * below)
    assert result.joint_wrenches[0, 1] == pytest.approx(9.81 * sum(masses.values()))
    assert len(leg.system.u) == (6 if trunk else 5)


@pytest.mark.parametrize("table", TABLES)
def test_models_body_at_rest(table):
    body, result = at_rest(planar_body, table)
    assert result.joint_wrench("trunk")[1] == pytest.approx(9.81 * 70, rel=2e-4)
    left = result.joint_wrench("knee_left", frame=body.system.frame)
    assert_allclose(left, result.joint_wrench("knee_right", frame=body.system.frame))


@pytest.mark.parametrize("make", [planar_leg, planar_body])
def test_models_refuses(make):
    refused(lambda: make(1.75, 70.0, gravity=(0, -9.81, 0)), "gravity", TypeError)
    refused(lambda: make(1.75, 70.0, gravity=np.nan), "gravity")
    refused(lambda: make(1.75, 70.0, lengths={"hand": 0.2}), "lengths")
    refused(lambda: make("1.75", 70), "height", TypeError)
    refused(lambda: make(1.75, 70.0).constants_of(None), "idyn", TypeError)


@pytest.mark.parametrize("table", ["winter", *slow(["de_leva_female", "de_leva_male"])])
@pytest.mark.parametrize("make", [planar_leg, partial(planar_leg, trunk=True), planar_body])
def test_models_every_length_that_is_taken_counts(table, make):
    """Names that are not refused change the numbers, all others are refused."""
    usual, taken = make(1.75, 70.0, table).constants, set()
    for name in TABLES[table].rows:
        try:
            model = make(1.75, 70.0, table, {name: 0.3})
        except ValueError:
            continue
        assert model.constants != usual
        taken.add(name)
    assert {"thigh", "shank", "foot"} <= taken
    arm = {"forearm_hand"} if table == "winter" else {"forearm", "hand"}
    assert make is not planar_body or {"upper_arm", *arm} <= taken
