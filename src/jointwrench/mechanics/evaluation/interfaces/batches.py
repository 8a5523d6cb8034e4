"""C text through which other libraries call kernels."""

from pathlib import Path

_FOLDER = Path(__file__).parent

#: A table of kernels by their keys, which stay valid in programs that libraries cache on disk,
#: and the function that calls a kernel for runs of adjacent samples.
BATCHES = (_FOLDER / "batches.c").read_text("utf-8")

#: The function that XLA calls on the CPU; its only attribute is the kernel's key.  It needs the
#: headers of jaxlib, so it cannot be part of the extension.
XLA_CALL = (_FOLDER / "xla_call.c").read_text("utf-8")
