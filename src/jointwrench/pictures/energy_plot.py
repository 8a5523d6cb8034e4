"""The energy balance of bodies (extra ``plot``)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..checks.arguments import check_instance
from ..drawing.axes import add_zero, axes_of_shape
from ..drawing.labels import bracket
from ..drawing.palette import BLACK, CYCLE, LINES
from ..records.energy_balance import EnergyBalance
from ..records.laboratory import check_axis_units


def plot_energy_balance(
    balance: EnergyBalance, *, axes: Any = None, units: Mapping[str, str] | None = None
) -> np.ndarray:
    """Draw the total powers on all bodies, and the unexplained power of each.

    In the upper Axes, the rate of the kinetic energy coincides with the sum of the powers of
    gravity, loads and joints if the balance is exact.  In the lower Axes, the legend lists the
    bodies with their errors, in per cent of the peak power; errors below a thousandth of it are not
    drawn.

    Parameters
    ==========

    balance : EnergyBalance
        The balance of ``result.energy_balance()``.
    axes : array of matplotlib Axes, shape (2, 1), optional
        Axes to draw in.  Default: a new figure.
    units : mapping of str to str, optional
        Texts for "time" and "power" in place of s and W.

    Returns
    =======

    numpy array of matplotlib Axes, shape (2, 1)

    Raises
    ======

    TypeError, ValueError
        If ``balance`` is not an EnergyBalance, or a unit is unknown.

    See Also
    ========

    jointwrench.EnergyBalance : Its numbers.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> times = np.linspace(0, 1, 11)
    >>> powers = {"gravity": 19 * times[:, None]}
    >>> balance = jw.EnergyBalance(times, ("ball",), 10 * times[:, None] ** 2, powers)
    >>> axes = jw.pictures.plot_energy_balance(balance)
    >>> axes[1, 0].get_ylabel()
    'unexplained power / W'
    """
    fix = "Use result.energy_balance()."
    check_instance("balance", balance, EnergyBalance, "an EnergyBalance", fix)
    known = check_axis_units(units, {"time": "s", "power": "W"})
    grid = axes_of_shape(axes, 2, 1, sharex=True, figsize=(9, 7))
    above, below = grid[:, 0]
    left, parts = balance.unexplained, {n: x.sum(axis=-1) for n, x in balance.powers.items()}
    supplied = sum(parts.values())
    for (name, power), color in zip(parts.items(), CYCLE, strict=False):
        above.plot(balance.times, power, color=color, linewidth=0.9, label=f"by {name}")
    above.plot(balance.times, supplied + left.sum(axis=-1), color=BLACK, label="rate of energy")
    above.plot(balance.times, supplied, color="0.6", linestyle=LINES[1], label="sum of powers")
    errors = {name: error[0] for name, error in balance.errors().items()}
    for k, body in enumerate(balance.bodies):
        if errors[body] > 0.1:
            style = {"color": CYCLE[k % len(CYCLE)], "linestyle": LINES[k // len(CYCLE) % 4]}
            label = f"{body.replace('_', ' ')}, {errors[body]:.2g} %"
            below.plot(balance.times, left[:, k], linewidth=0.9, label=label, **style)
    whole = f"whole, {errors['whole']:.2g} %"
    below.plot(balance.times, left.sum(axis=-1), color=BLACK, label=whole)
    for ax, text in ((above, "power on all bodies"), (below, "unexplained power")):
        add_zero(ax)
        ax.set_ylabel(f"{text} / {bracket(known['power'])}")
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    below.set_xlabel(f"time / {bracket(known['time'])}")
    return grid
