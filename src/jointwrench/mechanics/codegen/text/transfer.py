"""C text that copies samples into rows and rows into samples.

In memory a sample's numbers are adjacent; in a block each has a row with one entry per lane, so the
copy is a transposition.  A list of places gives the rows of an output's entries: zeros share one,
and so do equal entries.  Outputs larger than the caches are transposed within the block and
streamed to memory, which saves reading what is about to be overwritten.

The compiler's built-in functions are called if available: including the header of the intrinsics
takes longer than compiling a small model.
"""

from .templates import c_text

#: From this many numbers on, outputs go to memory past the caches.
FAR = 2**20


def transfer(is_each: bool, is_far: bool) -> str:
    """Return the functions for any numbers, for registers of doubles, and past the caches."""
    names = ["transfer_each", *["transfer"] * (not is_each), *["transfer_far"] * is_far]
    return "".join(map(c_text, names))
