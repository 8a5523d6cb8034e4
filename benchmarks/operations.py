"""How many multiplications and additions does a sample take?

Torques, and torques with all joint wrenches, of spatial chains with symbols for
all parameters; against KanesMethod with common sub-expressions, from which PyDy's Cython generator
and lambdify(cse=True) make code.  Pinocchio and MuJoCo run general loops, which cannot be counted
from Python.
"""

from models import spatial_chain
from peers import Kane
from sympy import cse
from sympy.core.function import count_ops
from timing import print_table

from jointwrench import InverseDynamics

BODIES = (1, 2, 3, 4, 7, 30)
MOST_FOR_KANE = 4


def kane_operations(count: int) -> str:
    """Return the counts for KanesMethod and cse."""
    if count > MOST_FOR_KANE:
        return "-"
    subexpressions, (reduced,) = cse([Kane(spatial_chain(count), {}).torques])
    total = count_ops([e for _, e in subexpressions] + list(reduced), visual=True)
    counts = {str(k): int(v) for k, v in total.as_coefficients_dict().items()}
    adds = counts.get("ADD", 0) + counts.get("SUB", 0)
    return f"{counts.get('MUL', 0) + counts.get('DIV', 0)} / {adds}"


def own(idyn: InverseDynamics, outputs) -> str:
    """Return the counts of a program."""
    counts = idyn.count_ops(outputs)
    return f"{counts['mul']} / {counts['add']}"


def main() -> None:
    """Print the table."""
    rows = []
    for count in BODIES:
        idyn = InverseDynamics(spatial_chain(count))
        everything = own(idyn, ("generalized_forces", "joint_wrenches"))
        rows.append([count, own(idyn, "generalized_forces"), everything, kane_operations(count)])
    head = ["bodies", "torques", "torques + wrenches", "KanesMethod + cse, torques"]
    print_table("Multiplications / additions per sample", head, rows)


if __name__ == "__main__":
    main()
