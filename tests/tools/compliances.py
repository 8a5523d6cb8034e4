"""Compliances for all forces that mechanics leaves undetermined."""

import jointwrench as jw


def compliances(system, **options):
    """Return different compliances of all joints, loads and motors that are undetermined."""
    is_open = jw.InverseDynamics(system, **options).undetermined
    return {
        getattr(source, "name", source): 1e-3 * (k + 1)
        if own == ("value",)
        else [1e-3 * (k + 1) * x for x in (1, 1.3, 0.7, 2, 0.9, 1.1)]
        for k, (source, own) in enumerate(is_open.items())
    }
