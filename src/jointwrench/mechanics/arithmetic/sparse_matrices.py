"""Sparse arrays: only entries that are not identically zero are stored."""

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ...checks.pickles import Pickled


@dataclass(frozen=True, eq=False)
class PackedMatrices(Pickled):
    """A batch of sparse matrices of one pattern: the entries that are not zero for all inputs.

    Made by `Result.packed`.

    Attributes
    ==========

    values : numpy.ndarray, shape (..., number of nonzeros)
        The entries, row by row; the leading axes are those of the batch.
    rows, columns : numpy.ndarray of int, shape (number of nonzeros,)
        Their positions.
    shape : tuple of int
        The numbers of rows and columns of one matrix.

    See Also
    ========

    Result.packed : Makes them.

    Examples
    ========

    >>> import numpy as np
    >>> import jointwrench as jw
    >>> values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])  # of two samples
    >>> pair = jw.PackedMatrices(values, np.array([0, 1, 1]), np.array([0, 0, 1]), (2, 2))
    >>> pair.dense()[1]
    array([[4., 0.],
           [5., 6.]])
    >>> pair.csr().toarray()
    array([[1., 0.],
           [2., 3.],
           [4., 0.],
           [5., 6.]])
    """

    values: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int]

    def dense(self) -> np.ndarray:
        """Return full matrices, shape (..., rows, columns).

        See Also
        ========

        PackedMatrices.csr : For scipy.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> packed = jw.PackedMatrices(np.ones(2), np.array([0, 1]), np.array([0, 1]), (2, 2))
        >>> packed.dense()
        array([[1., 0.],
               [0., 1.]])
        """
        whole = np.zeros((*self.values.shape[:-1], *self.shape))
        whole[..., self.rows, self.columns] = self.values
        return whole

    def csr(self) -> Any:
        """Return one sparse matrix with the blocks of all samples stacked vertically.

        Its rows are those of ``dense().reshape(-1, columns)``; its data are ``values``, not a copy
        if they are contiguous.

        See Also
        ========

        PackedMatrices.dense : Full matrices.

        Examples
        ========

        >>> import numpy as np
        >>> import jointwrench as jw
        >>> packed = jw.PackedMatrices(np.ones((4, 2)), np.array([0, 1]), np.array([0, 1]), (2, 2))
        >>> packed.csr().shape
        (8, 2)
        """
        from scipy.sparse import csr_array

        samples = prod(self.values.shape[:-1])
        counts = np.tile(np.bincount(self.rows, minlength=self.shape[0]), samples)
        begins = np.concatenate([[0], np.cumsum(counts)])
        shape = (samples * self.shape[0], self.shape[1])
        return csr_array((self.values.reshape(-1), np.tile(self.columns, samples), begins), shape)


@dataclass(frozen=True, eq=False)
class Pattern:
    """The positions of a packed output's entries in the unpacked array, in row-major order.

    Attributes
    ==========

    shape : tuple of int
        The shape of the unpacked array for one sample.
    places : numpy.ndarray of int
        The indices of the entries in the flattened array.
    """

    shape: tuple[int, ...]
    places: np.ndarray

    def unpack(self, values: np.ndarray) -> np.ndarray:
        """Return packed values (..., number of nonzeros) as full arrays (..., *shape)."""
        batch = values.shape[:-1]
        array = np.zeros((*batch, prod(self.shape)))
        array[..., self.places] = values
        return array.reshape((*batch, *self.shape))

    def matrices(self, values: np.ndarray) -> PackedMatrices:
        """Return packed values as sparse matrices whose columns are the last axis of the output."""
        width = self.shape[-1]
        rows, columns = np.divmod(self.places, width)
        return PackedMatrices(values, rows, columns, (prod(self.shape[:-1]), width))
