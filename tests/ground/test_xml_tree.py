"""XML of unknown origin: no document types, bounds on depth and size, numbers by one grammar."""

import pytest

import jointwrench as jw
from jointwrench.records import xml_tree
from jointwrench.records.xml_tree import numbers_in, read_xml

READERS = {
    "source": (jw.robots.read_urdf, jw.musculoskeletal.read_osim),
    "path": (jw.musculoskeletal.read_tracking_tasks, jw.recordings.read_external_loads),
}


@pytest.fixture(params=[(name, read) for name, some in READERS.items() for read in some])
def refused(request):
    """Return a check that a reader refuses a text in words that name its argument."""
    argument, read = request.param

    def check(text, words):
        with pytest.raises(ValueError, match=f"`{argument}` must be well-formed XML, .*{words}"):
            read(text)

    return check


def test_document_types(refused):
    """Ten entities of ten of the next are ten thousand million words."""
    entities = (f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 11))
    laughs = f'<!DOCTYPE r [<!ENTITY a0 "lol">{"".join(entities)}]><r>&a10;</r>'
    for text in (laughs, '<!DOCTYPE r SYSTEM "/etc/passwd"><r/>', "<!DOCTYPE r><r/>"):
        refused(text, "line 1: a document type. Delete <!DOCTYPE")


def test_depth_and_size(refused, monkeypatch):
    refused("<z>" * 200_000 + "</z>" * 200_000, "more than 200 elements in each other")
    monkeypatch.setattr(xml_tree, "MOST", 5)
    refused("<z><y/><y/>\n<y/><y/><y/></z>", "line 2: more than 200 .* or 5 in all")
    monkeypatch.setattr(xml_tree, "LARGEST", 50)
    refused(f"<z>{' ' * 50}</z>", "more than 50 bytes")


def test_text_and_elements_in_turn():
    (inner,) = read_xml("<a><x>one<b/>two<c>three</c>four</x></a>").children
    assert (inner.text, inner.find("c").text) == ("onetwofour", "three")


def test_unknown_encodings(tmp_path):
    path = tmp_path / "tasks.xml"
    for encoding, words in (("UTF-9", "unknown encoding"), ("utf-7", "multi-byte")):
        path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><IKTaskSet/>')
        with pytest.raises(ValueError, match=f"`path` must be .* but tasks.xml has .*{words}"):
            jw.musculoskeletal.read_tracking_tasks(path)
    with pytest.raises(ValueError, match="`source` must be well-formed XML, but the text has"):
        read_xml("<a>\udc80</a>")


@pytest.mark.parametrize("word", ["1_0", "\u0661\u0662", "inf", "1e999", "0x1"])
def test_numbers(word):
    with pytest.raises(ValueError, match=r"must be a finite number, got"):
        numbers_in(read_xml(f"<a><x>{word}</x></a>"), "x", 1)
