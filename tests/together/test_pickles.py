"""Pickles of another version are refused by their version, whatever has moved since."""

import inspect
import pickle
from importlib import import_module
from unittest.mock import patch

from refusals import refused

import jointwrench as jw
from jointwrench.checks.pickles import Pickled

SPACES = [jw, *(import_module(f"jointwrench.{name}") for name in jw.NAMESPACES)]
PUBLIC = {
    f"{kind.__module__}.{name}": kind
    for space in SPACES
    for name in dir(space)
    if inspect.isclass(kind := getattr(space, name)) and kind.__module__.startswith("jointwrench")
}
#: Not tuples, whose class python makes, nor errors.
CLASSES = [PUBLIC[x] for x in sorted(PUBLIC) if not issubclass(PUBLIC[x], (tuple, Exception))]


def check_refused(item):
    with patch("jointwrench.checks.pickles.__version__", "0.9"):
        text = pickle.dumps(item)
    module = type(item).__module__.encode()
    gone = text.replace(module, module[:-1] + b"?")
    refused(lambda: pickle.loads(gone), "pickle")


#: What needs no more than its class to be pickled.
HOOKS = {"__reduce__", "__getstate__"}
CONCRETE = [kind for kind in CLASSES if not inspect.isabstract(kind)]
PLAIN = [x for x in CONCRETE if not any(HOOKS & {*vars(base)} for base in x.__mro__[:-1])]


def test_of_every_public_class():
    assert len(CLASSES) > 50
    assert [kind for kind in CLASSES if not issubclass(kind, Pickled)] == []
    assert len(PLAIN) > 40
    for kind in PLAIN:
        check_refused(object.__new__(kind))


def test_of_what_has_a_state():
    chain = jw.SerialChain.planar(1)
    idyn = jw.InverseDynamics(chain.system)
    evaluate = idyn.compile(backend="numpy")
    result = evaluate([0.3], [0.0], [0.0], dict.fromkeys(idyn.constants, 1.0))
    wrench = idyn.joint_wrench(chain.joints[0])
    motion = jw.Trajectory([0, 1], [0, 1], [1, 1], [0, 0])
    for item in (chain, idyn, jw.ForwardDynamics(chain.system), evaluate, result, wrench, motion):
        check_refused(item)
    assert pickle.loads(pickle.dumps(motion)).at(0.5).q == [0.5]
    model, other = pickle.loads(pickle.dumps((chain, idyn)))
    assert other.joints[0] is model.joints[0]  # what they share they still share


def test_of_evaluators_without_a_version():
    evaluate = jw.InverseDynamics(jw.SerialChain.planar(1).system).compile(backend="numpy")
    earlier = pickle.dumps(evaluate, protocol=2).replace(b"_unpickled\n", b"_restore\n")
    refused(lambda: pickle.loads(earlier), "evaluate")
