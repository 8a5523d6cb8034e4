"""`WrittenDerivation`: the derivation of a joint wrench as a text, with a check of every line."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sympy import Expr, Symbol

from ...checks.arguments import (
    check_choice,
    check_instance,
    check_known,
    check_mapping,
    check_sequence,
    symbol_name,
)
from ...checks.display import Grid, NotebookTable, plural
from ...checks.files import replace_files, replaceable_file
from ...checks.numbers import check_integer, finite_array
from ...checks.pickles import Pickled
from ...checks.tolerances import UNSIZED
from ...records.instants import instant_of_state, nearest_sample
from ...records.laboratory import check_axis_units
from ..arithmetic.graph import Scalar
from ..arithmetic.output import Output
from ..dynamics.outputs.derivation_lines import DerivationLine, DerivationStep
from ..dynamics.outputs.model_outputs import ModelOutputs
from ..evaluation.compilation import BACKENDS, compile_program
from ..evaluation.inputs import Inputs
from .written_page import HtmlPage, LatexPage, Page

#: The expected argument ``motion``, for messages.
MOTION = "a Trajectory, or q, u and udot of one state"

#: The unit of each quantity of a line.
UNITS = {
    "length": "m",
    "acceleration": "m/s^2",
    "angular velocity": "rad/s",
    "angular acceleration": "rad/s^2",
    "inertia": "kg m^2",
    "force": "N",
    "moment": "N m",
}


@dataclass(frozen=True, eq=False, repr=False)
class DerivationNumbers(NotebookTable):
    """The numerical values of the lines of a derivation at one instant.

    Made by `WrittenDerivation.numbers`.

    Attributes
    ==========

    values : dict of DerivationLine to numpy array, shape (3,) or (1,)
        The components of each line, in its frame, or its only value.
    units : dict of str to str
        The unit of each quantity.
    rows : dict of DerivationLine to tuple of str
        The lines as printed: x, y and z, the unit, and the name of the frame.
    state : str
        The instant, the coordinates, the speeds and their derivatives, and specified values.

    See Also
    ========

    WrittenDerivation.to_html : Writes them into a page.

    Examples
    ========

    >>> import jointwrench as jw
    >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -10, 0)).system)
    >>> text = idyn.derivation("S_0")
    >>> print(text.numbers(([0.5], [0], [2]), {"l_0": 1, "m_0": 2, "I_0": 1}))
    in numbers
                                     x      y       z     unit  axes
      omega_S_0                      0      0       0    rad/s   S_0
      alpha_S_0                      0      0       2  rad/s^2   S_0
      a_C_0                         -1      0       0    m/s^2   S_0
      r_C_0                          0    0.5       0        m   S_0
      m_0 a_C_0                     -2      0       0        N   S_0
      -W_S_0                         0     20       0        N     N
      r_C_0 x m_0 a_C_0              0      0       1      N m   S_0
      I alpha + omega x I omega      0      0       2      N m   S_0
      -r_C_0 x W_S_0                 0      0  -4.794      N m   S_0
      F_S_0                      7.589  17.55       0        N   S_0
      M_S_0                          0      0  -1.794      N m   S_0
      Q_u_0                                    -1.794      N m
    """

    values: dict[DerivationLine, np.ndarray]
    units: Mapping[str, str]
    state: str = ""

    @property
    def rows(self) -> dict[DerivationLine, tuple[str, ...]]:
        """The printed cells of each line: x, y, z, the unit, and the name of the frame."""
        return {
            line: (
                *(["", ""] if len(own) == 1 else []),
                *(f"{x:.4g}" for x in own + 0.0),
                self.units.get(line.quantity, ""),
                "" if line.frame is None else line.frame.name,
            )
            for line, own in self.values.items()
        }

    def _grid(self) -> Grid:
        rows = [(line.name, *cells) for line, cells in self.rows.items()]
        return Grid("in numbers", ("", *"xyz", "unit", "axes"), rows)


@dataclass(frozen=True, eq=False, repr=False)
class WrittenDerivation(Pickled):
    """The derivation of a joint wrench, line by line, from the tips to the joint.

    Made by `InverseDynamics.derivation`.  Notebooks display it; ``print`` gives Markdown.

    Parameters
    ==========

    title : str
        The title of the text.
    steps : tuple of DerivationStep
        The steps.
    names : dict of Symbol to Scalar
        The values of the names in the lines.
    outputs : tuple of ModelOutputs
        The outputs of the model, for the text and for the compiled kernel.

    Attributes
    ==========

    title : str
        The title of the text.
    steps : tuple of DerivationStep
        One for each body that is cut free; before them the motions of the bodies that lead there,
        if they have names, and the equations for unknown forces.
    lines : list of DerivationLine
        The lines of all steps: value, frame, role, the bodies on and by which it acts, point.

    See Also
    ========

    InverseDynamics.derivation : Makes it.
    InverseDynamics.formula : The result alone.

    Notes
    =====

    Terms act on the outer body of the joint, by the inner one, and sum to its wrench: they change
    momentum, balance weight and loads, and balance the wrenches of other joints.  Each vector is in
    the frame in which it has the fewest terms.  A name such as ``F_knee_x`` stands for a result of
    an earlier step, along the axis x of its line; ``J`` are moments of inertia, ``k`` other
    combinations of constants.

    The text has no rows for ``m a`` after ``a`` and for wrenches that are passed on in the same
    components, but `lines` has them.  A component of more than 500 symbols, numbers and operations
    is not shown, but it is in the line's ``value`` and is checked.

    Examples
    ========

    >>> import jointwrench as jw
    >>> limb = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    >>> text = jw.InverseDynamics(limb.system).derivation("S_0")
    >>> [step.title for step in text.steps]
    ['Cut S_1 free at its joint', 'Cut S_0 free at its joint']
    >>> [line.role for line in text.steps[1].forces]
    ['m a', 'weight', 'joint']
    >>> bool(text.check().max() < 1e-12)
    True
    """

    title: str
    steps: tuple[DerivationStep, ...]
    names: dict[Symbol, Scalar] = field(repr=False)
    outputs: tuple[ModelOutputs, ...] = field(repr=False)

    @property
    def lines(self) -> list[DerivationLine]:
        """The lines of all steps, in their order."""
        return [line for step in self.steps for line in step.lines]

    # -- numbers --------------------------------------------------------------------

    def check(self, states: int = 20, backend: str = "numpy") -> np.ndarray:
        """Return the deviation of each line from the compiled kernel, in the order of `lines`.

        It is the largest one at random states, relative to the largest value of the line there (or
        to 1e-4 of the largest line, if that is larger).

        Parameters
        ==========

        states : int
            The number of random states; with loops all have the same pose, in which loops are
            closed.
        backend : {"numpy", "c", "auto", "pydy"}
            The backend of the kernel.

        Raises
        ======

        TypeError, ValueError
            If ``states`` is not a positive integer, or there is no such backend.

        See Also
        ========

        InverseDynamics.derivation : Makes the text.

        Examples
        ========

        >>> import jointwrench as jw
        >>> text = jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0")
        >>> bool(text.check(states=5).max() < 1e-12)
        True
        """
        count = check_integer("states", states)
        check_choice("backend", backend, BACKENDS)
        inputs = _random_inputs(self.outputs[-1], count)
        known = [x for line in self.lines for x in line.scalars]
        kernel, _ = self._kernel(known, lambda f: f(**inputs.arguments(f)), backend)
        names, _ = self._kernel(self.names.values(), lambda f: f(**inputs.arguments(f)), backend)
        kernel, names = (np.broadcast_to(x, (count, x.shape[-1])) for x in (kernel, names))
        written, start, found = np.atleast_2d(self._written(inputs, names)), 0, []
        largest = np.abs(kernel).max(initial=0)
        for line in self.lines:
            part = slice(start, start := start + len(line.value))
            size = max(np.abs(kernel[:, part]).max(initial=0), UNSIZED * largest)
            found.append(np.abs(written[:, part] - kernel[:, part]).max(initial=0) / (size or 1))
        return np.array(found)

    def _kernel(
        self, scalars: Iterable[Scalar], call: Callable[[Any], Any], backend: str = "numpy"
    ) -> tuple[np.ndarray, Any]:
        """Return the compiled values of scalars, shape (..., number), and the last Result."""
        known, columns, result = list(scalars), dict[int, np.ndarray](), None
        for outputs in self.outputs:
            graph = outputs.derivation.graph
            if own := [k for k, x in enumerate(known) if x.graph is graph and k not in columns]:
                output = Output.from_scalars("lines", (len(own),), [known[k] for k in own])
                result = call(compile_program(outputs.program([output]), backend=backend))
                columns |= {k: result.lines[..., n] for n, k in enumerate(own)}
        arrays = np.broadcast_arrays(*(columns[k] for k in range(len(known))))
        return (np.stack(arrays, -1) if arrays else np.empty((1, 0))), result

    def _written(self, inputs: Inputs, names: np.ndarray) -> np.ndarray:
        """Return the values of the lines' formulas for values of the names in them."""
        samples = {**inputs.samples, **dict(zip(self.names, names.T, strict=True))}
        known = Inputs(samples, inputs.constants)
        return known.evaluate([x for line in self.lines for x in line.value])

    def numbers(
        self,
        motion: Any,
        constants: Mapping[Any, float] | None = None,
        specifieds: Mapping[Any, Any] | None = None,
        at: float | None = None,
        units: Mapping[str, str] | None = None,
    ) -> DerivationNumbers:
        """Return the numerical value of each line at an instant.

        Parameters
        ==========

        motion : Trajectory, or tuple of q, u, udot
            The motion, or one state of it, arrays of shape (n,).
        constants, specifieds : mapping, optional
            As for `Evaluator`.
        at : float, optional
            The instant of a Trajectory, of which the nearest sample is used (default: the first),
            or that of a state, if the model depends on time.
        units : mapping of str to str, optional
            Texts for "length", "acceleration", "angular velocity", "angular acceleration",
            "inertia", "force" and "moment" in place of SI units.

        Raises
        ======

        TypeError, ValueError
            If a value is missing or has another shape, or the instant is outside the motion.

        See Also
        ========

        Result.explain : Why a joint wrench is so large.

        Examples
        ========

        >>> import jointwrench as jw
        >>> idyn = jw.InverseDynamics(jw.SerialChain.planar(1, gravity=(0, -10, 0)).system)
        >>> found = idyn.derivation("S_0").numbers(([0], [0], [2]), {"l_0": 1, "m_0": 2, "I_0": 1})
        >>> [row[2:4] for line, row in found.rows.items() if line.name == "Q_u_0"]
        [('3', 'N m')]
        """
        known = check_axis_units(units, UNITS)
        state: tuple[Any, ...] = (motion,)
        if not hasattr(motion, "times"):
            given = check_sequence("motion", motion, MOTION)
            state = tuple(finite_array("motion", x) for x in given)
            if len(state) != 3 or {x.ndim for x in state} not in ({1}, {2}):
                raise ValueError(f"`motion` must be {MOTION}, arrays of shape (n,) or (N, n).")
        time, is_state = self.outputs[-1].derivation.tree.time, np.ndim(state[0]) == 1

        def call(f: Any) -> Any:
            times = instant_of_state(at, time in f.used_inputs) if is_state else None
            return f(*state, constants=constants, specifieds=specifieds, times=times)

        values, result = self._kernel([x for line in self.lines for x in line.scalars], call)
        if values.ndim > 1:
            k = 0 if at is None else nearest_sample(at, result.times, len(values))
            values, result = values[k], result._over(lambda array: array[k])
        found, start = dict[DerivationLine, np.ndarray](), 0
        for line in self.lines:
            found[line] = values[start : (start := start + len(line.value))]
        return DerivationNumbers(found, known, _state(result.inputs, time))

    # -- text -----------------------------------------------------------------------

    def to_markdown(
        self,
        path: Any = None,
        pictures: Mapping[str, str] | None = None,
        numbers: DerivationNumbers | None = None,
    ) -> str:
        r"""Return the text as Markdown with formulas in LaTeX, and save it if there is a ``path``.

        ``pictures``, by the names of bodies, are shown where these are cut free, ``numbers`` at the
        end of each step.

        Raises
        ======

        TypeError, FileNotFoundError
            If ``path``, ``pictures`` or ``numbers`` has another type, or there is no such folder.

        See Also
        ========

        jointwrench.pictures.draw_derivation : Adds pictures.

        Examples
        ========

        >>> import jointwrench as jw
        >>> text = jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0")
        >>> print(text.to_markdown().split(chr(10))[2])
        ## 1. Cut $S_{0}$ free at its joint
        """
        return self._saved(Page, path, pictures, numbers)

    def to_latex(
        self,
        path: Any = None,
        pictures: Mapping[str, str] | None = None,
        numbers: DerivationNumbers | None = None,
    ) -> str:
        """Return the text as a LaTeX document, and save it if there is a ``path``.

        ``pictures``, by the names of bodies, are shown where these are cut free, ``numbers`` at the
        end of each step.

        Raises
        ======

        TypeError, FileNotFoundError
            If ``path``, ``pictures`` or ``numbers`` has another type, or there is no such folder.

        See Also
        ========

        jointwrench.pictures.draw_derivation : Adds pictures.

        Examples
        ========

        >>> import jointwrench as jw
        >>> text = jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0")
        >>> text.to_latex().endswith("document}" + chr(10))
        True
        """
        return self._saved(LatexPage, path, pictures, numbers)

    def to_html(
        self,
        path: Any = None,
        pictures: Mapping[str, str] | None = None,
        numbers: DerivationNumbers | None = None,
    ) -> str:
        """Return the text as a page of HTML, and save it if there is a ``path``.

        ``pictures``, by the names of bodies, are shown where these are cut free, ``numbers`` at the
        end of each step.  The page needs neither scripts nor a network.

        Raises
        ======

        TypeError, FileNotFoundError
            If ``path``, ``pictures`` or ``numbers`` has another type, or there is no such folder.

        See Also
        ========

        jointwrench.pictures.draw_derivation : Adds pictures.

        Examples
        ========

        >>> import jointwrench as jw
        >>> text = jw.InverseDynamics(jw.SerialChain.planar(1).system).derivation("S_0")
        >>> "<script" in text.to_html()
        False
        """
        return self._saved(HtmlPage, path, pictures, numbers)

    def _saved(self, page: type[Page], path: Any, pictures: Any, numbers: Any) -> str:
        """Return the text in the format of a page, and write it to a path if there is one."""
        place = None if path is None else replaceable_file("path", path)
        shown, bodies = check_mapping("pictures", pictures), [x.body for x in self.steps if x.body]
        check_known("pictures", shown, bodies, "have keys among")
        for file in shown.values():
            check_instance("pictures", file, str, "a mapping of bodies' names to files")
        if numbers is not None:
            check_instance("numbers", numbers, DerivationNumbers, "the numbers of this derivation")
        links = self.outputs[-1].derivation.tree.links
        masses = {x for link in links for x in link.mass.free_symbols}
        rows = {} if numbers is None else numbers.rows
        made = page(masses, self.names)
        state = "" if numbers is None else numbers.state
        text = made.text(self.title, made.blocks(self.steps, shown, rows, state))
        if place is not None:
            replace_files({place: text})
        return text

    def __repr__(self) -> str:
        steps, lines = plural(len(self.steps), "steps"), plural(len(self.lines), "lines")
        return f"<{self.title}: {steps}, {lines}>"

    def __str__(self) -> str:
        return self.to_markdown()

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


def _state(inputs: Inputs, time: Symbol) -> str:
    """Return the instant and the states of one sample in words."""
    known = {time: inputs.times} if inputs.times is not None else {}
    known |= {x: value for x, value in inputs.samples.items() if x != time}
    marks = {x: "'" * getattr(x, "derivative_count", 0) for x in known}
    names = {x: symbol_name(x.expr if marks[x] else x) + marks[x] for x in known}
    return ", ".join(f"{names[x]} = {float(value):.4g}" for x, value in known.items())


def _random_inputs(outputs: ModelOutputs, count: int) -> Inputs:
    """Return random values of a model's inputs; loops are closed in all samples."""
    tree, random = outputs.derivation.tree, np.random.default_rng(20200710)
    groups, samples, constants = outputs.inputs, dict[Expr, np.ndarray](), dict[Expr, float]()
    for name, symbols in groups.items():
        for symbol in symbols:
            values = random.uniform(0.3, 1.0, count)
            if name == "constants":
                constants[symbol] = float(values[0])
            else:
                samples[symbol] = values
    for group in tree.unit_quaternions:
        size = np.sqrt(sum(samples[q] ** 2 for q in group))
        samples.update({q: samples[q] / size for q in group})
    if tree.constraints:
        given = outputs.derivation.supply.state.given
        known = {x: float(value.value) for x, value in given.items()}
        constants.update({x: known[x] for x in constants if x in known})
        fixed = [x for x in samples if x in known and x not in tree.speeds]
        samples.update({x: np.full(count, known[x]) for x in fixed if x not in tree.accelerations})
    return Inputs(samples, constants, tree.speeds, samples.get(tree.time))
