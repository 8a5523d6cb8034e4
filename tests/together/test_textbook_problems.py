"""The tutorials for teachers say what books say."""

import math
import re
import runpy
from pathlib import Path

import pytest

pytest.importorskip("matplotlib.pyplot")
TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
PROBLEMS = sorted(TUTORIALS.glob("textbook/*.py"))

pytestmark = pytest.mark.slow  # CI runs them


def printed(name, capsys):
    runpy.run_path(str(TUTORIALS / f"{name}.py"))
    return capsys.readouterr().out


def test_ten_problems(capsys):
    text = "".join(printed(f"textbook/{path.stem}", capsys) for path in PROBLEMS)
    assert len(PROBLEMS) == 10
    assert "force along the rod: 5*g*m/2 = 49.05 N" in text
    assert "it breaks at 1/3 of its height" in text
    assert "force: -g*(M + m)*tan(q(t)) = 1.181 N" in text
    assert "zero at cos q = g / (r Omega**2): True" in text
    assert "2*Omega*m*r**2*u(t)*sin(q(t))*cos(q(t))" in text
    assert "elbow torque at 1 rad/s^2: -l2*m2*(l1 - l2)" in text
    assert re.search(r"Coriolis +\[0, 2\*m\*u\(t\)\*w\(t\)\]", text)
    # J p**2 cos(theta) - C spin p + m g h = 0, Goldstein's equation for steady precession
    inertia, momentum = (5e-5 + 0.1 * 0.04**2) * math.cos(0.5), 4e-5 * 200
    root = math.sqrt(momentum**2 - 4 * inertia * 0.1 * 9.81 * 0.04)
    slow, fast = ((momentum + sign * root) / (2 * inertia) for sign in (-1, 1))
    assert f"precession: {slow:.2f} or {fast:.2f} rad/s" in text
    skew = 2 * 0.1**2 * (100 * math.pi) ** 2 * math.sin(2 * math.radians(1)) / 8
    assert f"= -{skew:.3f} N m" in text
    growth = 10 * math.sqrt((164 - 12) * (176 - 164) / (12 * 176))
    assert f"axis 2: grows by exp({growth:.2f} t)" in text
    assert text.count("grows by exp(0.00 t)") == 2
    assert text.count("-40.000000 N m at 90 degrees") == 3


def test_what_is_wrong_in_the_sources(capsys):
    text = printed("teaching", capsys)
    assert float(re.search("largest deviation: (.*)", text)[1]) < 1e-12
    assert re.search(
        r"dalembert +2\*sin\(2\*t\)/5 2\*cos\(2\*t\)/5 \+ 27/10 0 0 0 -3\*sin\(2\*t\)/25", text
    )
    assert re.search(r"centrifugal +0 -27/20 0 0 0 0", text)
    assert re.findall("True|False", text) == ["True", "True"]
    by_formula, by_model = re.search("by that formula: (.*) by the model: (.*)", text).groups()
    assert -float(by_formula) == pytest.approx(float(by_model)) == pytest.approx(9.81 / 2)
