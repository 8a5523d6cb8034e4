"""Pages of classes that functions return begin with what they are, not with how they are made."""

#: Classes that no user makes: their pages show no signature and no parameters.
RETURNED = {
    *(
        "AuditCheck",
        "BaseParameters",
        "ClinicalCurves",
        "CompilationError",
        "Connection",
    ),
    *(
        "CrosscheckReport",
        "DerivationNumbers",
        "Evaluator",
        "Event",
        "Explanation",
        "FictitiousWrenches",
        "Fit",
        "FittedMotion",
    ),
    *("Formula", "GaitCycle", "GaitReport", "GeneralizedUfunc", "GroundReactions"),
    *("HessianEvaluator", "Identified", "InteractiveView", "Limits", "LowerLimbs", "UpperLimbs"),
    *("ModelFromFile", "MuscleForces", "OsimModel", "PackedMatrices", "Payload", "PlateStep"),
    *(
        "Result",
        "SegmentResult",
        "TopologyError",
        "TorqueLog",
        "TrackingTasks",
        "Uncertainty",
        "TrialAudit",
        "WrittenDerivation",
    ),
}


def is_returned(what, name):
    """Return whether an object is such a class."""
    return what in ("class", "exception") and name.rpartition(".")[2] in RETURNED


def no_signature(_, what, name, *others):
    """Leave out how it is made."""
    return ("", None) if is_returned(what, name) else None


def no_parameters(_, what, name, obj, options, lines):
    """Leave the parameters out where there are attributes, or call them that."""
    if not is_returned(what, name) or "Parameters" not in lines:
        return
    start = lines.index("Parameters")
    if "Attributes" not in lines:
        lines[start : start + 2] = ["Attributes", "=========="]
        return
    heads = (k for k in range(start + 2, len(lines)) if set(lines[k]) == {"="})
    del lines[start : next(heads) - 1]


def no_numbers_of_fields(_, what, name, obj, skip, options):
    """Leave out fields of tuples, "Alias for field number 0": they stand among the attributes."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field") else None


def setup(app):
    """Come before numpydoc."""
    app.connect("autodoc-skip-member", no_numbers_of_fields)
    app.connect("autodoc-process-signature", no_signature)
    app.connect("autodoc-process-docstring", no_parameters, priority=100)
    return {"parallel_read_safe": True}
