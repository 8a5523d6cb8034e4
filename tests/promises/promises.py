"""What is promised: outputs, public members of the core's classes and functions, by owners."""

import re
from inspect import getattr_static, isfunction
from pathlib import Path

import jointwrench as jw
from jointwrench.mechanics.methods.system_method import SystemMethod

METHODS = {
    "inverse": jw.InverseDynamics,
    "forward": jw.ForwardDynamics,
    "kinematics": jw.Kinematics,
}
CLASSES = (*METHODS.values(), jw.Result, jw.Evaluator, jw.Trajectory)

#: Why there is no law of some promises: they have no number of their own.
REASONS = {
    "what a model or a call was given": "SystemMethod: bodies constants coordinates frame inputs "
    "joints loads loops specifieds speeds accelerations system time; InverseDynamics: solve_for;"
    "Kinematics: points frames; Result: inputs joints loads sections speeds model_joints subject "
    "times; Evaluator: inputs used_inputs",
    "makes what the laws are of": "SystemMethod: program; Kinematics: of_model;"
    "Result: derivatives; jw: example_data",
    "code, which the paths run": "SystemMethod: count_ops write_c; Evaluator: source sources;"
    "InverseDynamics: written_outputs; ForwardDynamics: written_outputs;"
    "Kinematics: written_outputs; jw: clear_cache show_versions",
    "raises if a model was changed": "SystemMethod: check_unchanged",
}
#: What the paths to a number are.
HELD = (
    "Evaluator: address as_ufunc save shapes threads to_jax to_torch to_numba; Result: outputs;"
    "SystemMethod: compile write_casadi; InverseDynamics: default_outputs;"
    "ForwardDynamics: default_outputs; Kinematics: default_outputs; jw: load"
)
#: Tests beside this folder that are the law of promises, on models of their own.
ELSEWHERE = Path(__file__).with_name("elsewhere.txt").read_text(encoding="utf-8")


def names_in(text):
    """Return names with owners, which are written as ``"Result: joint_work times; ..."``."""
    parts = [part.split(":") for part in text.split(";")]
    return tuple(f"{owner.strip()}.{name}" for owner, own in parts for name in own.split())


def elsewhere():
    """Return promises by the test that is their law: file and name."""
    rows = [row.split(" | ") for row in ELSEWHERE.splitlines()]
    return {tuple(test.strip().split(".")): names_in(names) for test, names in rows}


def promised():
    """Return the names of all outputs, public members of the core's classes, and functions."""
    page = Path(__file__).parents[2] / "docs" / "reference" / "outputs.rst"
    parts = re.split(r"(?m)^Of (\w+)\n-+$", page.read_text(encoding="utf-8"))[2::2]
    pairs = zip(METHODS, parts, strict=True)
    names = {f"{method}.{x}" for method, part in pairs for x in re.findall(r'``"(\w+)"``', part)}
    for cls in CLASSES:
        for name in filter(re.compile("[a-z]").match, dir(cls)):
            is_common = getattr_static(cls, name) is getattr_static(SystemMethod, name, None)
            names.add(f"{(SystemMethod if is_common else cls).__name__}.{name}")
    return names | {f"jw.{x}" for x in jw.__all__ if isfunction(getattr(jw, x))}
