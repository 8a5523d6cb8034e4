"""Motions of some waves in each coordinate, with their derivatives, and two rods that move so."""

import numpy as np

from jointwrench import InverseDynamics, SerialChain

VALUES = {"l_0": 0.5, "l_1": 0.4, "m_0": 2.0, "m_1": 1.0, "I_0": 0.06, "I_1": 0.02}


def two_rods():
    """Return two rods in a plane, with the values of all constants."""
    idyn = InverseDynamics(SerialChain.planar(2, gravity=(0, -9.81, 0)).system)
    return idyn, {s: VALUES[s.name] for s in idyn.constants}


def waves_at(times, k, a, b):
    """Return q, u, udot (N, n) of waves k with amplitudes (waves, n) of sines and cosines."""
    sine, cosine = np.sin(times[:, None] * k), np.cos(times[:, None] * k)
    q, u = sine @ a + cosine @ b, (k * cosine) @ a - (k * sine) @ b
    return q, u, -(k**2 * sine) @ a - (k**2 * cosine) @ b


def waves(n, count, harmonics=3, seed=0):
    """Return a random motion of n coordinates over ten seconds: q, u, udot of shape (count, n)."""
    k = 2 * np.pi / 10 * np.arange(1, harmonics + 1)
    amplitudes = np.random.default_rng(seed).normal(size=(2, harmonics, n))
    return waves_at(np.linspace(0, 10, count), k, *amplitudes)
