"""Public names of version 1.0 that were removed; imported only for an error message."""

#: The replacement of each removed name, as a sentence.
REMOVED = {
    "run_setup": "OpenSim runs its set-up files itself (opensim-cmd run-tool); its steps are "
    "read_osim, read_tracking_tasks, scaled, inverse_kinematics and static_optimization.",
    "DriveGains": "Torques are currents times the gains of a data sheet.",
    "drive_gains": "Torques are currents times gains; identify_payload(...) can check these.",
    "MusclePathway": "Muscle.pathway is a pathway of sympy; MuscleDriven is for every muscle.",
    "CrossValidation": "cross_validate(...) returns a Fit, of all parts.",
    "plot_clinical_curves": "plot_gait_report(curves) draws ClinicalCurves, too.",
    "GaitCohort": "pandas.concat joins report.to_dataframe(condition=..., person=...).",
    "functional_center": "lower_limbs(...).centers are by regression, or by medial markers.",
    "plot_fit": "matplotlib draws fit.measured and fit.predicted over fit.times.",
    "optimal_control": "write_casadi(...) gives a model to CasADi's Opti: examples/swing_up.py.",
    "plot_residual_analysis": "matplotlib draws analysis.residuals over analysis.cutoffs.",
    "interactive_free_body": "plot_free_body draws free bodies, interactive_view joint wrenches.",
    "plot_section_diagram": "matplotlib draws -result.section_wrenches[k] over the rod's length.",
    "mark_stance": "ax.axvspan(start, end, color='0.9', zorder=-1) of matplotlib shades a contact.",
    "plot_explanation": "matplotlib draws name and value of each of explanation.terms (barh).",
    "plot_energy_balance": "matplotlib draws balance.power_residual over balance.times.",
    "plot_audit": "report.audits[0] is a table in notebooks; plot_gait_page lists failed checks.",
    **dict.fromkeys(
        ("reduce_residual", "ResidualReduction", "plot_residual_reduction"),
        "scipy's least_squares finds small changes that remove a residual: recipes/residual.rst.",
    ),
    "vector_components": "vector.to_matrix(frame) of sympy has them.",
    "position_components": "point.pos_from(other).to_matrix(frame) of sympy has them.",
    "relative_motion": "SerialChain.planar(...) has relative angles as its coordinates.",
    **dict.fromkeys(
        ("pelvis_frame", "hip_centers", "chord_center", "carried_points"),
        "lower_limbs(...) has centers and frames, which MarkerSet(frames=) defines.",
    ),
}
