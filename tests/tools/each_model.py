"""Every model that is read is compared with what it states itself."""

from functools import wraps

from jointwrench.mechanics.mechanism.reading.statement_check import check_statements
from jointwrench.mechanics.methods import inverse_dynamics, kinematics

#: Warnings are those of the test that reads a model, as without this module.
__name__ = f"jointwrench.{__name__}"


def check_each_model(patch):
    """Let both readers check their trees, and those with deduced loops once more."""
    for module in (inverse_dynamics, kinematics):
        patch.setattr(module, "read_model", read_and_checked(module.read_model))
        patch.setattr(module, "derive", derived_and_checked(module.derive))


def check_no_model(patch):
    """Undo `check_each_model`, for tests that count what reading takes."""
    for module in (inverse_dynamics, kinematics):
        for name in ("read_model", "derive"):
            patch.setattr(module, name, getattr(module, name).__wrapped__)


def read_and_checked(read_model):
    @wraps(read_model)
    def read(model, unknowns=(), loops=None, owners=None):
        tree = read_model(model, unknowns, loops, owners)
        check_statements(tree, model, owners or ())
        return tree

    return read


def derived_and_checked(derive):
    @wraps(derive)
    def derived(tree, *args, **options):
        derivation = derive(tree, *args, **options)
        if derivation.tree.constraints.closings != tree.constraints.closings:
            check_statements(derivation.tree, None, [x.location for x in tree.loads])
        return derivation

    return derived
