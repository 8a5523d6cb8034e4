"""C text that copies samples into rows and rows into samples.

In memory the numbers of one sample are adjacent; in a block each quantity has a row with one entry
per lane, so the copy is a transposition.  A table lists the rows of an output's entries: zeros
share a row, and so do equal entries.  Outputs larger than the caches are transposed within the
block and streamed to memory, which avoids reading memory that will be overwritten.

The compiler's built-in functions are called if available, because including the header of the
intrinsics takes longer than compiling a small model.
"""

from .templates import c_text

#: Number of numbers from which outputs bypass the caches.
FAR = 2**20


def transfer(is_each: bool, is_far: bool) -> str:
    """Return the C functions that copy samples one by one, by vectors, and past the caches.

    ``is_each``: without the functions by vectors; ``is_far``: with those past the caches.
    """
    names = ["transfer_each", *["transfer"] * (not is_each), *["transfer_far"] * is_far]
    return "".join(map(c_text, names))
