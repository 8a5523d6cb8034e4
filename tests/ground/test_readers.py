"""Files: what is written comes back, and what is broken is told with line and column."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from refusals import refused

import jointwrench as jw
from jointwrench.recordings.readers import read_csv, read_storage, read_trc
from jointwrench.recordings.writers import write_csv, write_storage
from jointwrench.records.tables import Table

VISIBLE = st.characters(codec="utf-8", exclude_characters="\0")

TRC = """\
PathFileType\t4\t(X/Y/Z)\twalk.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits
100\t100\t2\t2\tmm
Frame#\tTime\tHEEL\t\t\tTOE\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.00\t1\t2\t3\t4\t5\t6
2\t0.01\t1.5\t2\t3\t\t\t
"""


@pytest.fixture
def table(rng):
    values = rng.normal(size=(5, 3))
    values[2, 1] = np.nan
    return Table(np.linspace(0.1, 0.5, 5), ["hip", "knee, left", "ankle"], values)


@pytest.fixture
def file(tmp_path):
    def write(text, name="data.txt"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_table_is_a_mapping(table):
    assert list(table) == ["hip", "knee, left", "ankle"]
    assert len(table) == 3
    assert_array_equal(table["ankle"], table.array[:, 2])
    assert repr(table) == "Table(hip, knee, left, ankle: 5 rows, time 0.1 to 0.5)"
    refused(lambda: table["wrist"], None, KeyError)
    assert table == table
    assert table != Table(table.times, table.names, table.array)
    assert {table: 1}[table] == 1


def test_table_refuses():
    twice = Table([0, 1], ["a", "a", "b"], np.array([[0, 1, 2], [3, 4, 5]]))
    assert twice["b"].tolist() == [2, 5]
    refused(lambda: twice["a"], "names")


def test_csv_comes_back_to_the_last_bit(table, tmp_path):
    write_csv(tmp_path / "a.csv", table)
    found = read_csv(tmp_path / "a.csv")
    assert found.names == table.names
    assert_array_equal(found.times, table.times)
    assert_array_equal(found.array, table.array)


@settings(max_examples=20)
@given(st.lists(st.text(VISIBLE) | st.text('a ",;\n\r\t%#'), min_size=1, max_size=3))
def test_csv_any_name_comes_back_or_is_refused(names):
    table = Table([0.0, 1.0], names, np.zeros((2, len(names))))
    with tempfile.TemporaryDirectory() as folder:
        try:
            write_csv(Path(folder, "a.csv"), table)
        except ValueError as error:
            assert "names without line breaks, and without blanks" in str(error)  # noqa: PT017
            assert any(name.strip() != name or len(name.splitlines()) != 1 for name in names)
        else:
            assert list(read_csv(Path(folder, "a.csv")).names) == names


@pytest.mark.parametrize("mark", [",", ";", "\t", "  "])
def test_csv_separators(file, mark):
    text = mark.join(["% t", "a", "b"]) + "\n" + mark.join("123") + "\n" + mark.join("234")
    found = read_csv(file("# a comment\n" + text))
    assert found.names == ("a", "b")
    assert found.array.tolist() == [[2, 3], [3, 4]]


def test_csv_another_column_of_times(file):
    found = read_csv(file("a,time,b\n1,0,2\n3,1,\n"), time="time")
    assert found.times.tolist() == [0, 1]
    assert_array_equal(found.array, [[1, 2], [3, np.nan]])


def test_csv_numbers_that_windows_does_not_have(file):
    found = read_csv(file("t,a,b\n0,-1.#IND,1.#QNAN\n1,-nan(ind),NaN\n"))
    assert np.isnan(found.array).all()


def test_csv_quoted_names_and_a_mark_of_ones_own(file):
    assert read_csv(file('t|"a|b"\n0|1\n1|2\n'), delimiter="|").names == ("a|b",)


@pytest.mark.parametrize(
    "name", ["t", "T", "time", "TimeStamp", "Time (s)", "time [ms]", "t/s", "time_ms", "Time sec"]
)
def test_csv_finds_the_column_of_times(file, name):
    assert read_csv(file(f"hip,{name}\n5,0\n4,1\n")).times.tolist() == [0, 1]


def test_csv_takes_the_first_of_several(file):
    assert read_csv(file("time,t\n0,5\n1,4\n")).names == ("t",)


def test_csv_a_column_of_times_by_position(file):
    assert read_csv(file(",a\n0,1\n1,3\n"), time=0).names == ("a",)


def test_csv_tells_of_infinite_numbers(file):
    """Also of those that are too large for a computer."""
    with pytest.warns(UserWarning, match="txt has 2 infinite numbers, .* line 3, column b"):
        found = read_csv(file("t,a,b\n0,1,2\n1,2,-inf\n2,1e999,0\n"))
    assert found["b"].tolist() == [2, -np.inf, 0]


@pytest.mark.parametrize(
    ("end", "is_cut"), [("3.1", True), ("3", True), ("3.14", False), ("3.1\n", False)]
)
def test_csv_a_last_line_that_is_cut_off(file, end, is_cut):
    """A number that lost its last digits is a number, too; what is whole ends its line."""
    path = file("".join(f"{k},{k}.25\n" for k in range(9)).replace("0,0.25", "t,a") + f"9,{end}")
    if is_cut:
        with pytest.warns(UserWarning, match=r"last line of data.txt has no end .* may be cut"):
            read_csv(path)
    assert is_cut or read_csv(path).times.size == 9


def test_storage_comes_back_to_the_last_bit(table, tmp_path):
    table = Table(table.times, ["a", "b", "c"], table.array, {"inDegrees": "yes"})
    write_storage(tmp_path / "a.sto", table, name="walk")
    assert (tmp_path / "a.sto").read_text().splitlines()[:2] == ["walk", "version=1"]
    found = read_storage(tmp_path / "a.sto")
    assert_array_equal(found.array, table.array)
    assert found.header["inDegrees"] == "yes"
    assert found.header["nRows"] == "5"


def test_storage_one_row(file):
    found = read_storage(file("x\nendheader\ntime a\n0.5 1\n"))
    assert (found.times.tolist(), found["a"].tolist()) == ([0.5], [1])


def test_storage_rows_that_are_there_twice(file):
    """As RRA and CMC print them; what differs at one instant is not chosen from."""
    text = "x\nendheader\ntime a b\n0 1 nan\n0 1 nan\n1 2 3\n1 2 3\n2 3 4\n"
    with pytest.warns(UserWarning, match="data.txt has 2 of its rows twice, the first one at"):
        found = read_storage(file(text))
    assert found.times.tolist() == [0, 1, 2]
    refused(lambda: read_storage(file(text.replace("1 2 3\n2", "1 2 9\n2"))), "path")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("nRows=300", r"declares 300 rows \(nRows\), but has 3. It may be cut off: copy it again"),
        ("datarows 2", r"declares 2 rows \(datarows\), but has 3. Correct what it declares"),
        ("nColumns=9", r"declares 9 columns \(nColumns\), but has 2"),
        ("nc=3", r"declares 3 columns \(nc\), but has 2"),
        ("DataRate=100", "declares DataRate 100, but its times are those of 2 Hz"),
    ],
)
def test_storage_what_it_declares(file, line, words):
    rows = "endheader\ntime a\n0 1\n0.5 2\n1 3\n"
    read_storage(file(f"x\nnRows=3\nnColumns=2\nDataRate=2\n{rows}"))
    with pytest.warns(UserWarning, match=f"data.txt {words}"):
        read_storage(file(f"x\n{line}\n{rows}"))


def test_trc_markers(file):
    markers = read_trc(file(TRC))
    assert markers.names == ("HEEL", "TOE")
    assert markers.header["Units"] == "mm"
    assert markers.times.tolist() == [0, 0.01]
    assert markers["HEEL"].tolist() == [[1, 2, 3], [1.5, 2, 3]]
    assert np.isnan(markers["TOE"][1]).all()
    assert repr(markers) == "Markers(HEEL, TOE: 2 rows, time 0 to 0.01)"
    empty = type(markers)(markers.times[:0], markers.names, markers.positions[:0])
    assert repr(empty) == "Markers(HEEL, TOE: 0 rows, time none)"
    refused(lambda: markers["KNEE"], None, KeyError)


def test_trc_is_a_mapping(file):
    markers = read_trc(file(TRC))
    assert ("HEEL" in markers, "KNEE" in markers) == (True, False)
    assert (list(markers), len(markers)) == (["HEEL", "TOE"], 2)
    found = dict(markers)
    assert found.keys() == {"HEEL", "TOE"}
    assert_array_equal(found["TOE"], markers["TOE"])
    assert markers == markers


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("100\t2\t2", "100\t300\t2", r"declares 300 frames \(NumFrames\), but has 2"),
        ("100\t2\t2", "100\t2\t9", r"declares 9 markers \(NumMarkers\), but has 2"),
        ("100\t100", "200\t100", "declares DataRate 200, but its times are those of 100 Hz"),
        ("\t1.5", "\t-inf", "has 1 infinite numbers, the first one in line 8, column HEEL.x"),
    ],
)
def test_trc_what_it_declares(file, old, new, words):
    with pytest.warns(UserWarning, match=f"data.txt {words}"):
        read_trc(file(new.join(TRC.rsplit(old, 1))))


def test_trc_rows_that_are_missing(file):
    """Those of every other frame are a rate of their own."""
    rows = "\n".join(f"{k}\t{k / 100}\t1\t2\t3\t4\t5\t6" for k in range(3, 12, 2)) + "\n"
    text = TRC.replace("2\t2\tmm", "{}\t2\tmm").partition("1\t0.00")[0]
    assert read_trc(file(text.format(5) + rows)).times.size == 5
    with pytest.warns(UserWarning, match="has frame 9 after 5 in line 9, .* rows are missing"):
        read_trc(file(text.format(4) + rows.replace("7\t0.07\t1\t2\t3\t4\t5\t6\n", "")))


def test_trc_blanks_as_opensim_writes_them(file):
    """Tabs are doubled, with blanks around; a field that is empty remains one."""
    padded = TRC.replace("100\t100\t2\t2\tmm", "  100.0\t\t  100\t\t    2\t\t  2\t mm")
    doubled = padded.replace("0.00\t1\t2\t3\t", "0.00\t\t1\t\t2\t\t3\t\t")
    for text in (padded, doubled):
        markers = read_trc(file(text))
        assert (markers.header["Units"], markers.header["NumMarkers"]) == ("mm", "2")
        assert markers["TOE"][0].tolist() == [4, 5, 6]
        assert np.isnan(markers["TOE"][1]).all()


@pytest.mark.parametrize(
    ("titles", "names"),
    [("HEEL\t\t\t\t\t", ["HEEL", ""]), ("\t\t\tTOE\t\t", ["", "TOE"]), ("A\tB", ["A", "B"])],
)
def test_trc_columns_without_a_name(file, titles, names):
    markers = read_trc(file(TRC.replace("HEEL\t\t\tTOE\t\t", titles)))
    assert list(markers.names) == names
    assert markers.positions[0].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_trc_units(file):
    """Those of the file, unless others are stated; far too large ones are suspected."""
    path = file(TRC.replace("\tmm\n", "\tm\n").replace("\t4\t5\t6", "\t1400\t5\t6"))
    with pytest.warns(UserWarning, match=r"in m, but they are 1399 m apart: millimetres are"):
        read_trc(path)
    markers = read_trc(path, units={"length": "mm"}).in_metres()
    np.testing.assert_allclose(markers["TOE"][0], [1.4, 0.005, 0.006])
    assert markers.header["Units"] == "m"
    words = read_trc(file(TRC.replace("\tmm\n", "\tMillimeters\n"))).in_metres()
    np.testing.assert_allclose(words["HEEL"][0], [0.001, 0.002, 0.003])


def test_trc_blanks_at_the_end_may_be_missing(file):
    assert np.isnan(read_trc(file(TRC.replace("3\t\t\t\n", "3\n")))["TOE"][1]).all()


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_csv, "t,a\n0,1\n1\n"),
        (read_csv, "t,a\n0,1\n1,x\n"),
        (read_csv, "t;a\n0;1\n1;0,5\n"),
        (read_csv, "t,a\n0,1\n0,2\n"),
        (read_csv, "t,a\n0,1\n,2\n"),
        (read_csv, ""),
        (read_csv, "t,a\n"),
        (read_csv, "0,1\n1,2\n2,3\n"),
        (read_csv, "hip,knee\n0,0\n"),
        (read_csv, "T10,tx\n0,0\n"),
        (read_csv, "a,t,time\n0,0,0\n"),
        (read_csv, f"t,a\n0,{200_000 * '1'}\n"),
        (read_storage, "time a\n0 1\n"),
        (read_storage, "x\nendheader\n"),
        (read_storage, "x\nendheader\na b\n0 1\n1 1\n"),
        (read_trc, "a\nb\n"),
        (read_trc, TRC.replace("1\t2\t3\t4", "1\tx\t3\t4")),
        (read_trc, TRC.replace("5\t6\n", "5\t6\t7\n")),
    ],
    ids=[*(f"csv{k}" for k in range(12)), "sto0", "sto1", "sto2", "trc0", "trc1", "trc2"],
)
def test_refuses(file, read, text):
    refused(lambda: read(file(text)), "path")


def test_refuses_what_is_no_table(table, tmp_path):
    path = tmp_path / "a.sto"
    refused(lambda: write_storage(path, table), "table")
    path.write_text("t,a\n0,1\n1,2\n", encoding="utf-16")
    refused(lambda: read_csv(path), "path")
    for call in (lambda: read_csv(None), lambda: write_csv(3, table)):
        refused(call, "path", TypeError)


def test_example_data_files_and_folders():
    """Files of the examples come with the package."""
    assert jw.recordings.read_trc(jw.example_data("whole_trial/walk.trc")).times.size == 151
    assert (jw.example_data("whole_trial") / "subject01.osim").is_file()


def test_example_data_a_name_that_is_none():
    refused(lambda: jw.example_data("panda.udf"), "name", FileNotFoundError)


def test_example_data_each_is_documented():
    for path in (Path(jw.__file__).parent / "data").iterdir():
        assert path.name in jw.example_data.__doc__ or path.name.startswith("LICENSE")
