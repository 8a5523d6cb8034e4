"""Equations of motion in numba
============================

Two hundred double pendulums in a loop that numba compiles, without Python calls.

``evaluate.to_numba`` turns compiled equations of motion into a function for nopython mode. Here a
Runge-Kutta method calls it; your own code can go into the same loop. Pendulums with nearly equal
starts soon move differently, but each conserves its energy.
"""

import sys
import time

import numpy as np

import jointwrench as jw

try:
    import matplotlib.pyplot as plt
    import numba
except ImportError:
    sys.exit("This example needs numba and matplotlib: pip install '.[numba,plot]'")

CONSTANTS = {"l_0": 0.5, "m_0": 1.0, "I_0": 0.02, "l_1": 0.5, "m_1": 1.0, "I_1": 0.02}
STEP, STEPS, PENDULUMS = 1e-3, 15_000, 200


def integrator(fdyn):
    """Return a compiled function that follows one state for some steps."""
    accelerations = fdyn.compile("udot", CONSTANTS).to_numba("udot")

    @numba.njit
    def rates(state, out):
        out[:2] = state[2:]
        accelerations(out[2:], state[:2], state[2:])

    @numba.njit
    def follow(state, steps, every):
        states = np.empty((steps // every, 4))
        first, second, third, fourth = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
        for k in range(steps):
            rates(state, first)
            rates(state + STEP / 2 * first, second)
            rates(state + STEP / 2 * second, third)
            rates(state + STEP * third, fourth)
            state = state + STEP / 6 * (first + 2 * second + 2 * third + fourth)
            if (k + 1) % every == 0:
                states[k // every] = state
        return states

    return follow


def main():
    chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    fdyn = jw.ForwardDynamics(chain.system)
    follow = integrator(fdyn)
    starts = np.zeros((PENDULUMS, 4))
    starts[:, 0] = 0.5 + 1e-6 * np.arange(PENDULUMS)
    follow(starts[0], 1, 1)  # numba compiles at the first call
    began = time.perf_counter()
    states = np.array([follow(start, STEPS, 50) for start in starts])
    seconds = time.perf_counter() - began
    energy = fdyn.compile("energy", CONSTANTS)(states[..., :2], states[..., 2:]).energy
    energy = energy.sum(axis=-1) if energy.ndim > 2 else energy
    drift = abs(energy - energy[:, :1]).max()
    spread = states[:, -1, 0].std()
    print(f"{seconds / (4 * STEPS * PENDULUMS) * 1e9:.0f} ns per evaluation, steps included")
    print(f"after {STEP * STEPS:g} s angles differ by {spread:.2g} rad, energy by {drift:.2g} J")
    with plt.style.context("jointwrench.figures"):
        _, axes = plt.subplots(figsize=(6, 3.2), layout="constrained")
        axes.plot(50 * STEP * np.arange(1, 301), np.degrees(states[::20, :, 0].T))
        axes.set(xlabel="time in s", ylabel="angle of the upper rod in °")
    return {"drift": drift, "spread": spread}


if __name__ == "__main__":
    main()
