"""C text through which other libraries call kernels."""

from pathlib import Path

_FOLDER = Path(__file__).parent

#: Kernels by their keys, which stay good in programs that these libraries keep on disk; and what
#: calls them for as many samples at once as lie one behind the other.
BATCHES = (_FOLDER / "batches.c").read_text("utf-8")

#: What XLA calls on the processor: the kernel's key is the only attribute.  It needs the headers of
#: jaxlib, so that it cannot be part of the extension.
XLA_CALL = (_FOLDER / "xla_call.c").read_text("utf-8")
