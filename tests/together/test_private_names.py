"""Private names of sympy and PyDy stand in one module each; one that is gone is told."""

import ast
import importlib
import inspect
import pkgutil
import re
from copy import copy
from functools import cache

import numpy as np
import pytest
import sympy.physics.mechanics as me
from classical import cart_with_pendulum
from marks import slow
from refusals import refused
from sympy import ImmutableDenseMatrix, Symbol, symbols
from test_layout import modules, nodes

import jointwrench
from jointwrench import ForwardDynamics, SerialChain
from jointwrench.checks import private_names as missing
from jointwrench.mechanics.adapters import private_pydy, private_pydy_system, private_sympy
from jointwrench.mechanics.adapters.private_sympy import KaneParts

PACKAGES = missing.PACKAGES

#: The modules that may read private names.
ADAPTERS = {*("mechanics.adapters.private_sympy", "mechanics.adapters.private_pydy")}

#: Sympy's and Python's documented ways that begin with an underscore; names of other packages.
DOCUMENTED = re.compile(
    r"_t|_print\w*|_(asdict|fields|replace|getframe)"
    r"|_kwargs|_mp[cf]_|_estimate_error|_fig"  # of numpy, mpmath, scipy and matplotlib
)

#: What sympy's printers look for, and what its metaclasses write.
HOOKS = re.compile(
    r"_print_\w+|_repr_\w+_|_abc_impl|_nargs|_prop_handler|_explicit_class_assumptions"
)


#: Names that public ones of sympy 1.15 replace.
BEFORE_1_15 = [] if hasattr(me.KanesMethod, "frame") else ["_k_nh", "_f_nh", "_f_h", "_inertial"]


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name != "_"


def names_defined(nodes):
    """Yield the private names that a module itself gives to something."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.attr if isinstance(node, ast.Attribute) else node.id


def names_used(nodes):
    """Yield the private names of others: attributes, imports, and what `getattr` is asked for."""
    for node in nodes:
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (node.module.split("."))
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            texts = [x.value for x in node.args if isinstance(x, ast.Constant)]
            yield from (texts if node.func.id in {"getattr", "hasattr", "private"} else ())


def strangers(nodes_of):
    """Return the private names, by module, that no module of these defines."""
    own = {name for nodes in nodes_of.values() for name in names_defined(nodes)}
    found = {
        module: {x for x in names_used(nodes) if isinstance(x, str) and is_private(x)} - own
        for module, nodes in nodes_of.items()
    }
    kept = {m: {x for x in names if not DOCUMENTED.fullmatch(x)} for m, names in found.items()}
    return {module: names for module, names in kept.items() if names}


def test_private_names_stand_in_adapters_alone():
    nodes_of = {module: nodes(module) for module in modules()}
    assert len(nodes_of) > 100
    assert strangers(nodes_of).keys() == ADAPTERS


def test_a_private_name_elsewhere_is_found():
    text = "from a._b import c\nx._replace(y._own, z._theirs)\nself._own = getattr(x, '_hidden', 0)"
    assert strangers({"m": [*ast.walk(ast.parse(text))]}) == {"m": {"_b", "_theirs", "_hidden"}}


@cache
def classes():
    """Return the classes of the package."""
    infos = pkgutil.walk_packages(jointwrench.__path__, "jointwrench.")
    names = (info.name for info in infos)
    loaded = map(importlib.import_module, names)
    members = (inspect.getmembers(module, inspect.isclass) for module in loaded)
    return {cls for own in members for _, cls in own if cls.__module__.startswith("jointwrench.")}


def overridden(cls):
    """Return the private names of other packages' classes that a class of ours overrides."""
    theirs = [x for x in cls.__mro__ if x.__module__.partition(".")[0] in PACKAGES]
    interface = {name for x in theirs for name in getattr(x, "__abstractmethods__", ())}
    own = {name for name in vars(cls) if is_private(name) and not HOOKS.fullmatch(name)}
    return {name for name in own if any(name in vars(x) for x in theirs)} - interface


def test_what_ours_override_is_demanded():
    found = {name for cls in classes() for name in overridden(cls)}
    assert len(found) > 3
    text = "".join(map(inspect.getsource, (private_sympy, private_pydy, private_pydy_system)))
    assert found <= set(text.split('"'))


def test_what_ours_override_accepts_what_theirs_does():
    for cls in classes():
        for name in overridden(cls):
            theirs = next(x for x in cls.__mro__ if x.__module__.partition(".")[0] in PACKAGES)
            missing.require_names(theirs, name, by=cls)


def constrained():
    """Return a KanesMethod with all that one can have but equations."""
    (x, y), (v, w, a) = me.dynamicsymbols("x y"), me.dynamicsymbols("v w a")
    frame, point = me.ReferenceFrame("N"), me.Point("P")
    point.set_vel(frame, v * frame.x + (w + a) * frame.y)
    return me.KanesMethod(
        frame,
        q_ind=[x],
        q_dependent=[y],
        u_ind=[v],
        u_dependent=[w],
        u_auxiliary=[a],
        kd_eqs=[x.diff() - v, y.diff() - w],
        configuration_constraints=[x - y],
        velocity_constraints=[v - w],
        bodies=[me.Particle("bead", point, Symbol("m"))],
    )


def test_sympy_what_a_kanes_method_was_made_from():
    (x, y), (v, w, a) = me.dynamicsymbols("x y"), me.dynamicsymbols("v w a")
    parts = KaneParts.of(constrained())
    assert parts[1:5] == ((y,), (w,), (a,), (x - y,))
    assert parts.velocity == (v - w,)
    assert parts.inertial.name == "N"
    assert parts.has_rates


def test_sympy_what_was_stated():
    frame, other = me.ReferenceFrame("A"), me.ReferenceFrame("B")
    other.orient_axis(frame, Symbol("a"), frame.x)
    other.set_ang_vel(frame, 3 * frame.x)
    origin = me.Point("O")
    point = origin.locatenew("P", 2 * frame.y)
    point.set_vel(frame, frame.z)
    assert private_sympy.stated_positions(point) == {origin: 2 * frame.y}
    assert private_sympy.stated_velocities(point) == {frame: frame.z}
    assert private_sympy.stated_orientations(other) == {frame: other.dcm(frame)}
    assert private_sympy.stated_angular_velocities(other) == {frame: 3 * frame.x}


@pytest.mark.parametrize("name", ["_udep", "_qdep", "_uaux", "_qdot_u_map", *BEFORE_1_15])
def test_sympy_what_is_gone_is_told(name):
    model = cart_with_pendulum(1)
    kane, connections = model.kane, model.connections
    assert list(ForwardDynamics.from_kane(kane, connections).speeds) == list(kane.u)
    changed = copy(kane)
    delattr(changed, name)
    with pytest.raises(RuntimeError, match=f"^sympy .* has no KanesMethod.{name}, which"):
        ForwardDynamics.from_kane(changed, connections)  # which names are asked is by version


def test_demand_a_class_that_has_not_what_ours_override():
    theirs = type("Printer", (), {"__module__": "pydy.codegen", "_kept": 1})
    ours = type("Ours", (theirs,), {"__module__": "somebody's"})
    missing.require_names(ours, "_kept")
    refused(lambda: missing.require_names(ours, "_kept", "_lost"), None, RuntimeError)


def test_demand_a_method_that_is_called_with_more_than_ours_accepts():
    def called(self, more):
        pass

    theirs = type("Printer", (), {"__module__": "pydy.codegen", "_called": called})
    accepting = type("Accepting", (theirs,), {"_called": lambda self, more, own=1: None})
    missing.require_names(theirs, "_called", by=accepting)
    ours = type("Ours", (theirs,), {"_called": lambda self: None})
    refused(lambda: missing.require_names(theirs, "_called", by=ours), None, RuntimeError)


def asking(init):
    """Return a constructor that asks for all that PyDy's next System reads."""

    def ask(self, *args, **options):
        init(self, *args, **options)
        method, (u,), p = self.eom_method, self.speeds, Symbol("p")
        assert not method._f_h
        assert not method._k_nh
        assert not method._f_nh
        kick = me.dynamicsymbols("kick")
        exprs = [p * u + kick, u.diff()]
        assert self._Kane_constant_symbols(exprs=exprs) == {p}
        assert self._Kane_undefined_dynamicsymbols(exprs=exprs) == {kick}
        assert self._Kane_constant_symbols(exprs=[]) == set()

    return ask


class TestPydy:
    def test_the_generator_writes_the_sub_expressions_that_it_is_given(self):
        x, z = symbols("x z")
        text = private_pydy.c_source([[x]], [(z, x**2)], [ImmutableDenseMatrix([3 * z])])
        assert "double z = pow(input_0[0], 2);" in text
        assert "output_0[0] = 3*z;" in text

    @pytest.mark.parametrize("release", ["installed", *slow(["next"])])
    def test_each_release_of_its_system_gets_what_it_asks_for(self, release, monkeypatch):
        fdyn = ForwardDynamics(SerialChain.planar(1, gravity=(0, -9.81, 0)).system)
        if release == "next":
            init = private_pydy_system.System.__init__
            monkeypatch.setattr(private_pydy_system.System, "__init__", asking(init))
        numbers, times = dict.fromkeys(fdyn.constants, 1.0), np.array([0.0, 0.1, 0.2])
        simulated = fdyn.pydy_system(constants=numbers, times=times).integrate()
        expected = fdyn.simulate(times, [0.0], [0.0], numbers)
        np.testing.assert_allclose(simulated, np.hstack([expected.q, expected.u]), atol=1e-6)

    def test_outputs_of_the_next_system_are_refused(self):
        system = ForwardDynamics(SerialChain.planar(1).system).pydy_system()
        system.outputs = {Symbol("y"): system.speeds[0]}
        refused(system.generate_ode_function, "outputs")

    def test_the_system_asks_for_what_ours_answers(self):
        asked = {"_Kane_constant_symbols", "_Kane_undefined_dynamicsymbols"}
        assert overridden(private_pydy_system.SymbolicSystem) == asked
        theirs = inspect.getsource(private_pydy_system.System)
        assert all(f"self.{name}" in theirs for name in (*asked, "_evaluate_ode_function"))
