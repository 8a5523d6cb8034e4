"""What is used of the inner workings of PyDy and opty is still there."""

import inspect

import pytest
from pydy.codegen.c_code import CMatrixGenerator
from pydy.system import System

from jointwrench.codegen.text.generator import ProgramCGenerator
from jointwrench.forward.pydy_system import ForwardSystem


def private_names(cls):
    """Return the private names that a class of ours defines, those with two underscores aside."""
    return {name for name in vars(cls) if name.startswith("_") and not name.startswith("__")}


def test_pydys_generator_calls_what_ours_overrides():
    overridden = {"_base_printer", "_c_header_template", "_c_source_template"}
    overridden |= {"_generate_cse", "_generate_code_blocks"}
    assert private_names(ProgramCGenerator) - {"_abc_impl"} == overridden
    theirs = "".join(inspect.getsource(cls) for cls in CMatrixGenerator.__mro__[:-1])
    assert all(f"self.{name}" in theirs for name in overridden)
    for name in ("_generate_cse", "_generate_code_blocks"):
        ours, own = (
            inspect.signature(getattr(x, name)) for x in (ProgramCGenerator, CMatrixGenerator)
        )
        assert list(ours.parameters) == list(own.parameters)


def test_pydys_system_asks_for_what_ours_answers():
    asked = {"_Kane_constant_symbols", "_Kane_undefined_dynamicsymbols"}
    assert private_names(ForwardSystem) == asked
    theirs = inspect.getsource(System)
    assert all(f"self.{name}" in theirs for name in (*asked, "_evaluate_ode_function"))


def test_opty_has_what_its_problem_is_made_from():
    pytest.importorskip("opty", reason="needs opty (pip install '.[opty]')")
    from opty import Problem
    from opty.direct_collocation import ConstraintCollocator

    assert callable(inspect.getattr_static(Problem, "__init__").mthd)
    theirs = inspect.getsource(ConstraintCollocator)
    assert "self._variable_duration =" in theirs
    assert callable(ConstraintCollocator._instance_constraints_jacobian_indices)
    assert "self.collocator = ConstraintCollocator(" in inspect.getsource(Problem)
