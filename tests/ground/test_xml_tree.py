"""XML of unknown origin: no document types, bounds on depth and size, numbers by one grammar."""

import pytest
from refusals import refused

import jointwrench as jw
from jointwrench.records import xml_tree
from jointwrench.records.xml_tree import numbers_in, read_xml

READERS = {
    "source": (jw.robots.read_urdf, jw.musculoskeletal.read_osim),
    "path": (jw.musculoskeletal.read_tracking_tasks, jw.recordings.read_external_loads),
}


@pytest.fixture(params=[(name, read) for name, some in READERS.items() for read in some])
def refuse(request):
    """Return a check that a reader refuses a text in words that name its argument."""
    argument, read = request.param
    return lambda text: refused(lambda: read(text), argument)


def test_document_types(refuse):
    """Ten entities of ten of the next are ten thousand million words."""
    entities = (f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 11))
    laughs = f'<!DOCTYPE r [<!ENTITY a0 "lol">{"".join(entities)}]><r>&a10;</r>'
    for text in (laughs, '<!DOCTYPE r SYSTEM "/etc/passwd"><r/>', "<!DOCTYPE r><r/>"):
        refuse(text)


def test_depth_and_size(refuse, monkeypatch):
    refuse("<z>" * 200_000 + "</z>" * 200_000)
    monkeypatch.setattr(xml_tree, "MOST", 5)
    refuse("<z><y/><y/>\n<y/><y/><y/></z>")
    monkeypatch.setattr(xml_tree, "LARGEST", 50)
    refuse(f"<z>{' ' * 50}</z>")


def test_text_and_elements_in_turn():
    (inner,) = read_xml("<a><x>one<b/>two<c>three</c>four</x></a>").children
    assert (inner.text, inner.find("c").text) == ("onetwofour", "three")


def test_unknown_encodings(tmp_path):
    path = tmp_path / "tasks.xml"
    for encoding in ("UTF-9", "utf-7"):
        path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><IKTaskSet/>')
        refused(lambda: jw.musculoskeletal.read_tracking_tasks(path), "path")
    refused(lambda: read_xml("<a>\udc80</a>"), "source")


@pytest.mark.parametrize("word", ["1_0", "\u0661\u0662", "inf", "1e999", "0x1"])
def test_numbers(word):
    refused(lambda: numbers_in(read_xml(f"<a><x>{word}</x></a>"), "x", 1), None)
