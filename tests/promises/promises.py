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
ELSEWHERE = """\
core/test_close_motion.test_measured_trajectories_are_closed | Trajectory: closed constraint_errors
core/test_deduced_connections.test_classical_models | SystemMethod: from_kane connections
core/test_derivation.test_every_line_is_the_kernels_on_random_trees | InverseDynamics: derivation
core/test_energy_balance.test_a_simulated_motion_has_no_residual | Result: energy_balance
core/test_explanation.test_terms_of_trees_sum_to_the_wrench | Result: explain
core/test_kinematics.test_places_and_motions_of_random_trees_seen_by_anybody | \
    InverseDynamics: kinematics; ForwardDynamics: kinematics; Kinematics: kinematics
core/test_linearization.test_a_loop_by_differences | ForwardDynamics: linearize
core/test_output_derivatives.test_arrays | Result: derivative
core/test_output_derivatives.test_formulas_are_those_of_sympy | SystemMethod: derivative
core/test_output_derivatives.test_sparsity | Evaluator: derivative_sparsity
core/test_packed.test_regressors | Result: packed
core/test_readable.test_whole_is_the_program | InverseDynamics: formula
core/test_regressor.test_actuators | inverse: actuator_regressor
core/test_result.test_files | Result: columns to_table
core/test_result.test_dataframe | Result: to_dataframe
core/test_result.test_over_cycles | Result: over_cycles; jw: normalise_cycles
core/test_result.test_per_mass_undoes_that_all_masses_grow | Result: per_mass
core/test_result.test_work_is_the_change_of_energy | Result: joint_work
core/test_sampled.test_from_callables | Trajectory: from_callables
core/test_sampled.test_is_the_motion_of_the_formulas | Trajectory: from_samples from_formulas at
core/test_sampled.test_resampled_and_between | Trajectory: between resampled
core/test_second_derivatives.test_formulas | SystemMethod: hessian
core/test_section.test_a_section_is_the_weld_of_the_rod_cut_in_two | \
    inverse: section_wrenches; InverseDynamics: section_wrench
core/test_simulation.test_all_forms_of_arguments | ForwardDynamics: ode_function
core/test_simulation.test_double_pendulum_by_kanes_method | ForwardDynamics: simulate
core/test_simulation.test_it_is_that_of_kanes_method | ForwardDynamics: rhs
core/test_simulation.test_pydy_integrates_it_as_its_own | ForwardDynamics: pydy_system
core/test_simulation.test_they_are_those_of_inverse_dynamics | ForwardDynamics: reactions
core/test_singular_poses.test_forces_grow_as_conditioning_falls | \
    inverse: conditioning; forward: conditioning
friction/test_friction.test_at_rest_friction_is_an_interval | InverseDynamics: at_rest locked
friction/test_friction_closed_forms.test_a_wedge_and_a_screw_lock_themselves | \
    InverseDynamics: self_locking
propagation/test_uncertainty.test_changes_are_those_of_other_samples | Trajectory: measured_noise
tracking/test_inverse_kinematics.test_exact_markers_give_the_motion_back | jw: inverse_kinematics
verify/test_verify.test_four_bar | jw: crosscheck"""


def names_in(text):
    """Return names with owners, which are written as ``"Result: joint_work times; ..."``."""
    parts = [part.split(":") for part in text.split(";")]
    return tuple(f"{owner.strip()}.{name}" for owner, own in parts for name in own.split())


def elsewhere():
    """Return promises by the test that is their law: file and name."""
    rows = [row.split(" | ") for row in ELSEWHERE.replace("\n    ", " ").splitlines()]
    return {tuple(test.strip().split(".")): names_in(names) for test, names in rows}


def promised():
    """Return the names of all outputs, public members of the core's classes, and functions."""
    page = Path(__file__).parents[2] / "docs" / "reference" / "outputs.rst"
    parts = re.split(r"(?m)^Of (\w+)\n-+$", page.read_text(encoding="utf-8"))[2::2]
    names = {
        f"{method}.{name}"
        for method, part in zip(METHODS, parts, strict=True)
        for name in re.findall(r'``"(\w+)"``', part)
    }
    for cls in CLASSES:
        for name in filter(re.compile("[a-z]").match, dir(cls)):
            is_common = getattr_static(cls, name) is getattr_static(SystemMethod, name, None)
            names.add(f"{(SystemMethod if is_common else cls).__name__}.{name}")
    return names | {f"jw.{x}" for x in jw.__all__ if isfunction(getattr(jw, x))}
