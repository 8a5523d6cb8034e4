"""Learning the residual of a model
================================

A torch module contains inverse dynamics and learns the friction that the model lacks.

``evaluate.to_torch`` turns compiled torques into a torch function, with gradients with respect to
states and constants of the model.  The measured torques of a robot with two links include friction.
The module below learns the masses of the links, which are constants of the model, and a network
learns the residual.  Both are trained together, and the result is tested on other motions.
"""

import sys

import numpy as np

import jointwrench as jw

try:
    import matplotlib.pyplot as plt
    import torch
except ImportError:
    sys.exit("This example needs torch and matplotlib: pip install '.[torch,plot]'")

TRUE = {"l_0": 0.4, "m_0": 3.0, "I_0": 0.05, "l_1": 0.3, "m_1": 1.5, "I_1": 0.02}
KNOWN = {name: value for name, value in TRUE.items() if name not in ("m_0", "m_1")}


class Robot(torch.nn.Module):
    """Torques of two joints: inverse dynamics with unknown masses, and a network of the speeds."""

    def __init__(self, evaluate):
        super().__init__()
        self.mechanics = evaluate.to_torch("generalized_forces")
        self.log_masses = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))  # 1 kg each
        self.friction = torch.nn.Sequential(
            torch.nn.Linear(2, 24), torch.nn.Tanh(), torch.nn.Linear(24, 2)
        ).double()

    def forward(self, q, u, udot):
        masses = dict(zip(("m_0", "m_1"), self.log_masses.exp(), strict=True))
        return self.mechanics(q, u, udot, masses) + self.friction(u)


def friction(u):
    return 0.8 * np.tanh(8 * u) + 0.3 * u


def record(evaluate, rng, samples, fastest):
    """Return states of random motions, and measured torques."""
    q = rng.uniform(-np.pi, np.pi, (samples, 2))
    u, udot = rng.uniform(-fastest, fastest, (2, samples, 2))
    torques = evaluate(q, u, udot, {name: TRUE[name] for name in ("m_0", "m_1")})
    told = torques.generalized_forces + friction(u) + rng.normal(scale=0.02, size=u.shape)
    return [torch.from_numpy(array) for array in (q, u, udot, told)]


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    chain = jw.SerialChain.planar(2, gravity=(0, -9.81, 0))
    evaluate = jw.InverseDynamics(chain.system).compile("generalized_forces", KNOWN)
    rng = np.random.default_rng(0)
    *states, told = record(evaluate, rng, 2000, 3.0)
    *others, truth = record(evaluate, rng, 500, 3.0)

    robot = Robot(evaluate)
    adam = torch.optim.Adam(robot.parameters(), lr=0.02)
    losses = []
    for _ in range(400):
        adam.zero_grad()
        loss = (robot(*states) - told).square().mean()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    with torch.no_grad():
        masses = robot.log_masses.exp().numpy()
        error = (robot(*others) - truth).square().mean().sqrt().item()
        speeds = torch.linspace(-3, 3, 121, dtype=torch.float64)
        learned = robot.friction(torch.stack([speeds, 0 * speeds], dim=-1))[:, 0].numpy()
    print(f"masses {masses[0]:.3f} and {masses[1]:.3f} kg, true masses 3 and 1.5 kg")
    print(f"error of the torques of other motions {error:.3f} N m (rms), noise 0.02 N m")
    draw(losses, speeds.numpy(), learned)
    return {"masses": masses, "error": error}


def draw(losses, speeds, learned):
    with plt.style.context("jointwrench.figures"):
        _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
        left.semilogy(losses)
        left.set(xlabel="step", ylabel="mean square in (N m)²")
        right.plot(speeds, learned - learned.mean(), label="learned")
        right.plot(speeds, friction(speeds), "--", label="true")
        right.set(xlabel="speed in rad/s", ylabel="friction in N m")
        right.legend()


if __name__ == "__main__":
    main()
