"""Print the README's table of performance: Franka Panda with the numbers of its URDF."""

import single_call
import throughput
from timing import machine


def main() -> None:
    """Print the table in Markdown."""
    batch = dict(throughput.measure(seconds=2.0))
    single = dict(single_call.measure())
    both = "jointwrench, torques + 7 wrenches"
    rows = [
        ("jointwrench, torques", batch["jointwrench, torques"], single["jointwrench, torques"]),
        ("jointwrench, torques and all joint wrenches", batch[both], single[both]),
        ("Pinocchio `rnea`, torques", batch.get("pin.rnea, loop"), single.get("pin.rnea")),
        ("MuJoCo `mj_inverse`, torques", batch.get("mj_inverse, loop"), single.get("mj_inverse")),
    ]
    print("| Franka Panda, one core, from Python | ns per sample, batch | ns per single call |")
    print("|---|---|---|")
    for name, per_sample, per_call in rows:
        if per_sample is not None:
            print(f"| {name} | {per_sample:.0f} | {per_call:.0f} |")
    print(f"\nBatches of {throughput.SAMPLES} samples, best of many, all in the same run on")
    print(f"{machine()}.")


if __name__ == "__main__":
    main()
