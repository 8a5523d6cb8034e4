"""Internal forces along a link, beside the formulas of beams."""

import numpy as np
import pytest
from bodies import rigid_body, system_of
from refusals import refused
from sympy import symbols
from sympy.physics.mechanics import PinJoint, dynamicsymbols

import jointwrench as jw

plt = pytest.importorskip("matplotlib.pyplot")
M, L, G, W = 3.0, 2.0, 9.81, 4.0


@pytest.fixture(scope="module")
def rod():
    """A rod on a pin about z at its end, along its x: what computes five sections, and these."""
    m, l, g = symbols("m l g")
    ground, body = rigid_body("ground"), rigid_body("rod", m, 0, m * l**2 / 12, m * l**2 / 12)
    ends = -l / 2 * body.x, l / 2 * body.x
    q, u = dynamicsymbols("q u")
    system = system_of(
        ground,
        PinJoint("pin", ground, body, q, u, child_point=ends[0], joint_axis=ground.z),
        gravity=-g * ground.y,
    )
    sections = jw.Section.along_rod("cut", body, *ends, count=5)
    idyn = jw.InverseDynamics(system, sections=sections)
    return idyn.compile("section_wrenches", backend="numpy"), sections


def lines(axes):
    plt.close("all")
    return {ax.get_ylabel().split(" ")[0]: ax.lines[-1].get_data() for ax in axes.flat}


def test_a_rod_that_is_held_is_a_cantilever(rod):
    evaluate, sections = rod
    result = evaluate([0], [0], [0], {"m": M, "l": L, "g": G})
    found = lines(jw.pictures.plot_section_diagram(result, sections))
    x, shear = found["shear"]
    weight = M * G / L
    np.testing.assert_allclose(x, np.linspace(0, L, 5), atol=1e-12)
    np.testing.assert_allclose(shear, -weight * (L - x), atol=1e-12)
    np.testing.assert_allclose(found["bending"][1], -weight * (L - x) ** 2 / 2, atol=1e-12)


def test_a_rod_that_turns_is_in_tension(rod):
    evaluate, sections = rod
    result = evaluate([0], [W], [0], {"m": M, "l": L, "g": 0.0})
    found = lines(jw.pictures.plot_section_diagram(result, sections))
    assert found.keys() == {"normal"}
    x, normal = found["normal"]
    np.testing.assert_allclose(normal, M / L * W**2 * (L**2 - x**2) / 2, atol=1e-12)


def test_the_band_holds_all_instants(rod):
    evaluate, sections = rod
    times = np.linspace(0, 2, 41)
    motion = jw.Trajectory.from_samples(times, np.sin(3 * times)[:, None])
    result = evaluate(motion, constants={"m": M, "l": L, "g": G})
    axes = jw.pictures.plot_section_diagram(result, sections)
    band = axes[0, 0].collections[0].get_paths()[0].vertices[:, 1]
    normal = -result.section_wrenches[..., 0]
    assert (band.min(), band.max()) == pytest.approx((normal.min(), normal.max()))
    bending = np.argmax(abs(result.section_wrenches[..., 5]).max(axis=1))
    assert f"at {times[bending]:.4g}" in [x.get_text() for x in axes[0, 0].get_legend().get_texts()]
    found = lines(jw.pictures.plot_section_diagram(result, sections, at=1.01))
    np.testing.assert_array_equal(found["normal"][1], normal[20])


def test_other_sections(rod):
    evaluate, sections = rod
    result = evaluate([0], [W], [0], {"m": M, "l": L, "g": 0.0})
    end = sections[0]
    other = [end, jw.Section("own", end.body, end.point, end.part)]
    refused(lambda: jw.pictures.plot_section_diagram(result, other), "sections")
