"""C files that need neither Python nor PyDy."""

import os
import re
import shutil
import subprocess

import numpy as np
import pytest
from bodies import rigid_body, system_of
from codegen_programs import everything
from marks import needing, slow
from refusals import refused
from test_codegen_parallel import CONSTANTS, M, pendulum

from jointwrench.mechanics.codegen.text.export import write_c
from jointwrench.mechanics.codegen.toolchain.compiler import find_compiler
from jointwrench.mechanics.methods.inverse_dynamics import InverseDynamics
from jointwrench.models.free_joint import FreeJoint
from jointwrench.models.quaternion_joint import QuaternionJoint

FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]

MAIN = """\
#include <stdio.h>
#include "rod.h"

int main(void)
{
    const double q[11] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1e7};
    const double u[1] = {1.5}, udot[1] = {-0.5};
    const double constants[2] = {9.81, 0.5};  /* g, l */
    double forces[11], wrenches[66], workspace[ROD_WORKSPACE];

    rod_evaluate(11, q, 1, u, 0, udot, 0, constants, 0, 0, 0, 0, forces, wrenches, workspace);
    for (int k = 0; k < 11; k++) {
        printf("%.17g", forces[k]);
        for (int i = 0; i < 6; i++)
            printf(" %.17g", wrenches[6*k + i]);
        printf("\\n");
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def idyn():
    return pendulum()


@pytest.fixture(params=[None, *needing(["clang"])])
def compiler(request):
    if os.name == "nt":
        pytest.skip("flags of gcc and clang")
    found = shutil.which(request.param) if request.param else find_compiler()
    if found is None:
        pytest.skip("needs a C compiler")
    return found


# Flags that allow to reorder sums.
REORDER = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]


def test_a_c_program_gets_the_same_numbers(idyn, compiler, tmp_path):
    files = idyn.write_c(tmp_path / "rod.c", constants={M: 2})
    assert [path.name for path in files] == ["rod.c", "rod.h"]
    (tmp_path / "main.c").write_text(MAIN)
    q = np.array([*np.linspace(0, 0.9, 10), 1e7])[:, None]
    expected = idyn.compile(backend="numpy")(q, 1.5, -0.5, CONSTANTS)
    for flags in (["-O2"], ["-O3", "-funsafe-math-optimizations"], REORDER):
        command = [compiler, "-O2", *flags, *FLAGS, "main.c", "rod.c", "-o", "main", "-lm"]
        subprocess.run(command, cwd=tmp_path, check=True)
        printed = subprocess.check_output([tmp_path / "main"], text=True)
        result = np.array([line.split() for line in printed.splitlines()], dtype=float)
        np.testing.assert_allclose(result[:, 0], expected.generalized_forces[:, 0], 1e-12, 1e-12)
        np.testing.assert_allclose(result[:, 1:], expected.joint_wrenches[:, 0], 1e-12, 1e-12)


def test_header_says_what_the_arguments_are(idyn, tmp_path):
    source, header = idyn.write_c(tmp_path / "rod.c")
    text = header.read_text()
    for words in ("/* generalized force 0 */", "/* joint 0, force x */"):
        assert words in source.read_text()
    assert "evaluate_arrays" not in source.read_text()
    for words in (
        "samples : number of samples",
        "constants : constants, 3 values per call\n    [0] ",
        "joint_wrenches : joint wrenches (force, moment), 1 x 6 values per sample",
        "    [5] joint 0 pin, moment z (N m)",
        "    [0] q_pin(t) (rad)",
        "    [0] generalized force 0 of u_pin (N m)",
        "Nothing is allocated",
        "joints, in their order:\n    [0] ",
        'extern "C"',
        "#define ROD_WORKSPACE ",
        "void rod_evaluate(",
    ):
        assert words in text


def test_header_has_units_of_quaternions_and_free_bodies(tmp_path):
    ground, bird, head = (rigid_body(name) for name in ("ground", "bird", "head"))
    flight, neck = FreeJoint("flight", ground, bird), QuaternionJoint("neck", bird, head)
    bird = InverseDynamics(system_of(ground, flight, neck))
    text = bird.write_c(tmp_path / "bird.c", "bias")[1].read_text()
    for place, unit in enumerate(["m"] * 3 + ["rad"] * 3):
        assert f"[{place}] q{place}_flight(t) ({unit})\n" in text
        assert f"[{place}] u{place}_flight(t) ({unit}/s)\n" in text
    assert "[6] q0_neck(t)\n" in text
    assert "[6] u0_neck(t) (rad/s)\n" in text


# -- for controllers ----------------------------------------------------------

LANES = [(1, "double"), (1, "float"), (8, "double"), (8, "float")]

# Evaluates a sample at a given angle.  In C and C++; names are those of the header.
ONE_SAMPLE = """\
#include "rod.h"
#include <stdio.h>
#include <stdlib.h>

typedef {real} real;

int main(int count, char **arguments)
{{
    static real workspace[ROD_WORKSPACE + 1], forces[1], wrenches[6], slopes[1], more[{nonzeros}];
    const real angle = (real) strtod(arguments[count - 1], 0);
    real q[1] = {{angle}}, u[1] = {{(real) 1.5}}, udot[1] = {{(real) -0.5}};
    const real constants[2] = {{(real) 9.81, (real) 0.5}};
    int k;
    workspace[ROD_WORKSPACE] = 7;
    rod_evaluate({one}q, {one}u, {one}udot, {one}constants, 0, {zero}0, {zero}forces, wrenches,
                 slopes, more, workspace);
    printf("%.17g %.17g", (double) forces[0], (double) slopes[0]);
    for (k = 0; k < 6; k++)
        printf(" %.17g", (double) wrenches[k]);
    printf("\\n");
    return workspace[ROD_WORKSPACE] != 7 || q[0] != angle;
}}
"""


@pytest.mark.parametrize(
    ("lanes", "precision", "language"), [(*LANES[-1], "c++"), *slow((*row, "c") for row in LANES)]
)
def test_one_sample(idyn, tmp_path, lanes, precision, language):
    compiler = shutil.which("g++" if language == "c++" else "gcc") or find_compiler()
    if compiler is None or os.name == "nt":
        pytest.skip("needs gcc")
    names = ("generalized_forces", "joint_wrenches")
    options = {"lanes": lanes, "precision": precision, "sparse": True}
    source, _ = idyn.write_c(tmp_path / "rod.c", names, {M: 2}, ["q"], **options)
    text = source.read_text()
    assert re.findall("#include.*", text) == ["#include <math.h>", '#include "rod.h"']
    assert not re.search("malloc|free|static (?!const|inline|void|real|float|double)", text)
    evaluate = idyn.compile(constants={M: 2}, derivatives=["q"], backend="numpy", sparse=True)
    constants = {symbol: number for symbol, number in CONSTANTS.items() if symbol != M}
    strides = {"one": "1, ", "zero": "0, "} if lanes == 8 else {"one": "", "zero": ""}
    nonzeros = evaluate([0.3], 1.5, -0.5, constants).outputs["joint_wrenches_wrt_q"].size
    main = ONE_SAMPLE.format(real=precision, nonzeros=nonzeros, **strides)
    (tmp_path / "main.c").write_text(main)
    flags = FLAGS if language == "c" else ["-x", "c++", "-std=c++11", *FLAGS[1:]]
    command = [compiler, "-O2", *flags, "main.c", "rod.c", "-o", "main", "-lm"]
    subprocess.run([*command, "-march=native"], cwd=tmp_path, check=True)
    for q in (0.3, -2.0, 1e7):
        expected = evaluate([q], 1.5, -0.5, constants)
        slopes = [array for name, array in expected.outputs.items() if "wrt" in name]
        command = [tmp_path / "main", str(q)]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        found = [float(word) for word in ended.stdout.split()]
        values = [expected.generalized_forces[0], slopes[0][0], *expected.joint_wrenches[0]]
        size = 1e-12 if precision == "double" else 1e-4 if abs(q) < 100 else 1.0
        np.testing.assert_allclose(found, values, size, size * np.abs(values).max())


CALLER = """\
#include <stdio.h>
#include "rod.h"

int main(void)
{{
    const {real} q[2] = {{0.3, 0.7}}, u[2] = {{1.5, -0.5}}, udot[2] = {{-0.5, 0.2}};
    const {real} constants[3] = {{9.81, 0.5, 2}};
    const {real} *inputs[ROD_INPUTS] = {{q, u, udot, constants, 0, 0}};
    const int widths[ROD_OUTPUTS] = ROD_OUTPUT_WIDTHS;
    {real} first[64], second[64], workspace[ROD_WORKSPACE], *outputs[] = {{first, second}};
    const long long strides[ROD_INPUTS] = {{1, 1, 1, 0, 0, 0}};

    (void) strides;
    rod_call({call});
    for (int n = 0; n < ROD_OUTPUTS; n++)
        for (int k = 0; k < {samples} * widths[n]; k++)
            printf("%.9g\\n", (double) outputs[n][k]);
    return 0;
}}
"""


@pytest.mark.parametrize(("lanes", "precision"), LANES)
@pytest.mark.parametrize("outputs", [["generalized_forces", "joint_wrenches"], "joint_wrenches"])
def test_the_same_arguments_for_whatever_outputs(idyn, tmp_path, lanes, precision, outputs):
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    options = {"lanes": lanes, "precision": precision, "signature": "fixed"}
    _, header = idyn.write_c(tmp_path / "rod.c", outputs, **options)
    assert header.read_text().count("const long long *strides") == (lanes == 8)
    call = "inputs, outputs, workspace" if lanes == 1 else "2, inputs, strides, outputs, workspace"
    names = {"real": precision, "call": call, "samples": 1 if lanes == 1 else 2}
    (tmp_path / "main.c").write_text(CALLER.format(**names))
    command = [compiler, "-O2", *FLAGS, "main.c", "rod.c", "-o", "main", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
    q, u, udot = np.array([[[0.3], [0.7]], [[1.5], [-0.5]], [[-0.5], [0.2]]])[:, : names["samples"]]
    result = idyn.compile(backend="numpy")(q, u, udot, {**CONSTANTS, M: 2})
    asked = [outputs] if isinstance(outputs, str) else outputs
    expected = np.concatenate([getattr(result, name).ravel() for name in asked])
    found = np.array(printed.split(), dtype=float)
    np.testing.assert_allclose(
        found, expected, rtol=1e-4 if precision == "float" else 1e-7, atol=1e-4
    )
    refused(lambda: idyn.write_c(tmp_path / "rod.c", outputs, signature="all"), "signature")


def test_functions_in_single_precision(tmp_path):
    """No number is in double precision, which processors of controllers may not have."""
    compiler = find_compiler()
    if compiler is None or os.name == "nt":
        pytest.skip("needs flags of gcc and clang")
    for lanes in (1, 8):
        write_c(everything(), tmp_path / "all.c", lanes, "float")
        flags = ["-Wdouble-promotion", "-c", "-o", os.devnull]
        subprocess.run([compiler, *FLAGS, *flags, "all.c"], cwd=tmp_path, check=True)


#: Names that are no identifier of C, or hide a header of it, and that no function of CasADi has.
OF_C = ["my-arm.c", "2arm.c", "ärm.c", "arm.h", "a b", "*/.c", "math.c", "stddef", "Float.c"]
NAMES = {"write_c": OF_C, "write_casadi": ["while", "sin", "index", "real", "main.c"]}


@pytest.mark.parametrize(("write", "name"), [(w, x) for w, names in NAMES.items() for x in names])
def test_names_that_nothing_can_have(idyn, tmp_path, write, name):
    refused(lambda: getattr(idyn, write)(tmp_path / name), "path")
    assert list(tmp_path.iterdir()) == []


def test_folder_that_is_not_there(idyn, tmp_path):
    refused(lambda: idyn.write_c(tmp_path / "lost" / "rod.c"), "path", FileNotFoundError)


def test_files_are_replaced_when_both_are_complete(idyn, tmp_path, monkeypatch):
    files = idyn.write_c(tmp_path / "rod.c")
    before = [file.read_text() for file in files]

    def fill_the_disk(_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill_the_disk)
        with pytest.raises(OSError, match="No space left on device"):
            idyn.write_c(tmp_path / "rod.c", constants={M: 2})
    assert [file.read_text() for file in files] == before
    assert sorted(tmp_path.iterdir()) == sorted(files)
    idyn.write_c(tmp_path / "rod.c", constants={M: 2})
    assert files[0].read_text() != before[0]


def test_what_is_no_path(idyn):
    refused(lambda: idyn.write_c(7), "path", TypeError)
