"""A policy trained by gradients through a simulation
==================================================

A double pendulum learns to stand upright, with jax gradients of its simulated motion.

``evaluate.to_jax`` turns the compiled equations of motion into a jax function.  A small network
computes the torques in both joints from the state; ``jax.lax.scan`` simulates many pendulums with a
Runge-Kutta method; and jax differentiates the cost with respect to all weights of the network,
through every step, with exact derivatives of the mechanics.
"""

import sys

import numpy as np

import jointwrench as jw

try:
    import jax
    import jax.numpy as jnp
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("This example needs jax and matplotlib: pip install '.[jax,plot]'")

CONSTANTS = {"l_0": 0.5, "m_0": 1.0, "I_0": 0.02, "l_1": 0.5, "m_1": 1.0, "I_1": 0.02}
STEP, STEPS, PENDULUMS, LESSONS = 0.01, 100, 32, 150


def equations_of_motion():
    """Return ``udot(q, u, torques)`` of a pendulum of two rods, upright at zero."""
    chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0), actuated=True)
    accelerations = jw.ForwardDynamics(chain.system).compile("udot", CONSTANTS).to_jax("udot")
    return lambda q, u, torques: accelerations(q, u, specifieds=torques)


def torques_of(weights, state):
    first, second = weights
    return 30 * jnp.tanh(jnp.tanh(state @ first) @ second) - 0.2 * state[..., 2:]  # and friction


def simulated(accelerations, weights, start):
    """Return the states, shape (steps, ..., 4), and the cost of the motion."""

    def rates(state):
        q, u = state[..., :2], state[..., 2:]
        return jnp.concatenate([u, accelerations(q, u, torques_of(weights, state))], axis=-1)

    def step(state, _):
        first = rates(state)
        second = rates(state + STEP / 2 * first)
        third = rates(state + STEP / 2 * second)
        fourth = rates(state + STEP * third)
        state = state + STEP / 6 * (first + 2 * second + 2 * third + fourth)
        cost = (state**2).sum(-1) + 1e-3 * (torques_of(weights, state) ** 2).sum(-1)
        return state, (state, jnp.log1p(cost).mean())

    _, (states, costs) = jax.lax.scan(step, start, None, STEPS)
    return states, costs.mean()


def main():
    jax.config.update("jax_enable_x64", True)
    accelerations = equations_of_motion()
    rng = np.random.default_rng(0)
    start = jnp.asarray(rng.normal(scale=0.2, size=(PENDULUMS, 4)))
    weights = [jnp.asarray(rng.normal(scale=0.05, size=shape)) for shape in ((4, 16), (16, 2))]

    lesson = jax.jit(jax.value_and_grad(lambda w: simulated(accelerations, w, start)[1]))
    means = [(0 * w, 0 * w) for w in weights]  # of the gradients and of their squares
    costs = []
    for count in range(1, LESSONS + 1):
        cost, slopes = lesson(weights)
        costs.append(float(cost))
        means = [
            (0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g**2)
            for (m, v), g in zip(means, slopes, strict=True)
        ]
        weights = [  # the steps of Adam
            w - 0.03 * (m / (1 - 0.9**count)) / (jnp.sqrt(v / (1 - 0.99**count)) + 1e-8)
            for w, (m, v) in zip(weights, means, strict=True)
        ]
    states, _ = simulated(accelerations, weights, start)
    upright = np.abs(np.asarray(states[-1, :, :2])).max(axis=-1) < 0.2
    print(f"cost {costs[0]:.3f} before, {costs[-1]:.3f} after {LESSONS} lessons")
    print(f"{upright.sum()} of {PENDULUMS} are within 0.2 rad of upright after {STEP * STEPS:g} s")
    draw(costs, states)
    return {"costs": costs, "upright": upright}


def draw(costs, states):
    with plt.style.context("jointwrench.figures"):
        _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
        left.plot(costs)
        left.set(xlabel="lesson", ylabel="cost")
        times = STEP * np.arange(1, STEPS + 1)
        right.plot(times, np.degrees(states[:, :8, 0]))
        right.set(xlabel="time in s", ylabel="angle of the lower rod in °")


if __name__ == "__main__":
    main()
