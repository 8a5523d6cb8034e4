"""The reader of all kinds of models that users pass."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sympy import Expr
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, System

from ....checks.arguments import is_empty
from ....checks.paused_gc import garbage_collection_paused
from ..deduced_structure import KaneModel
from ..tree import Tree
from .load_reader import loads_of
from .owners import check_owners
from .system_reader import read_system


def read_model(
    model: Any, unknowns: Sequence[Expr] = (), loops: Any = None, owners: Any = None
) -> Tree:
    """Return the tree of a System or a KaneModel.

    Parameters
    ==========

    model : System, KaneModel, or an object with an ``eom_method``
        The user's model.
    unknowns : sequence of Expr
        The symbols in loads for which the user solves.
    loops : sequence of loop joints and contacts, optional
        The user's argument, not checked yet.
    owners : mapping of point or frame to body, optional
        The user's argument, not checked yet.
    """
    with garbage_collection_paused():
        owners = check_owners(owners)
        if not is_empty(loops):
            from .loop_reader import check_loops

            loops = check_loops(loops)
        kane = as_kane_model(model)
        if kane is None:
            return read_system(model, unknowns, loops, owners)
        from .kane_reader import read_kane

        tree = read_kane(kane, unknowns, loops, owners)
        return replace(tree, system=model) if isinstance(model, System) else tree


def as_kane_model(model: Any) -> KaneModel | None:
    """Return the KaneModel of a model without joints; None for a System with joints."""
    if isinstance(model, KaneModel):  # it may contain a System
        return model._replace(kane=_jointless_method(model.kane) or model.kane)
    method = _jointless_method(model)
    return None if method is None else KaneModel(method, None, "system")


def _jointless_method(system: Any) -> KanesMethod | LagrangesMethod | None:
    """Return the method of a PyDy System or a jointless sympy System; None for other models.

    For a sympy System without joints that has formed no equations yet, the method is created here.
    """
    method = getattr(system, "eom_method", None)
    if isinstance(method, KanesMethod | LagrangesMethod) and not getattr(system, "joints", ()):
        return method
    if not isinstance(system, System) or system.joints or not system.q:
        return None
    return KanesMethod(  # with the arguments that System.form_eoms passes
        system.frame,
        system.q_ind,
        system.u_ind,
        system.kdes,
        q_dependent=system.q_dep,
        configuration_constraints=system.holonomic_constraints,
        u_dependent=system.u_dep,
        velocity_constraints=system.velocity_constraints,
        u_auxiliary=system.u_aux,
        bodies=system.bodies,
        forcelist=loads_of(system),
        explicit_kinematics=False,
    )
