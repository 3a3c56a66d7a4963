"""Collision filters as a table over categories."""

import numpy as np
import numpy.typing as npt


def category_masks(collide: npt.ArrayLike) -> npt.NDArray[np.uint64]:
    """Masks of categories from a table of which of them collide.

    Things of the i-th kind have ``category=1 << i`` and ``mask=masks[i]``.

    Parameters
    ----------
    collide : array_like of bool, shape (k, k)
        Whether things of kind i and of kind j collide; symmetric, k at most 64.

    Returns
    -------
    ndarray of uint64, shape (k,)

    Raises
    ------
    ValueError
        For a table that is not square, not symmetric or too large: it names the row and column.
    TypeError
        For a table that does not hold booleans (or 0 and 1).

    Examples
    --------
    >>> PLAYER, ENEMY, SHOT = range(3)
    >>> masks = category_masks([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
    >>> world = World()
    >>> shot = world.add_body(Circle(0.1), category=1 << SHOT, mask=masks[SHOT])
    >>> [bin(int(mask)) for mask in masks]
    ['0b10', '0b111', '0b10']
    """
    table = np.asarray(collide)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"collide: must have the shape (k, k), got {table.shape}")
    if len(table) > 64:
        raise ValueError(f"collide: must have at most 64 categories, got {len(table)}")
    if table.dtype != bool:
        if table.dtype.kind not in "iuf" or not np.isin(table, (0, 1)).all():
            raise TypeError(f"collide: must hold booleans, got dtype {table.dtype}")
        table = table.astype(bool)
    uneven = np.argwhere(table != table.T)
    if len(uneven):
        i, j = uneven[0].tolist()
        raise ValueError(
            f"collide: must be symmetric: two things collide or not, got [{i}, {j}] = "
            f"{bool(table[i, j])} and [{j}, {i}] = {bool(table[j, i])}"
        )
    bits = np.uint64(1) << np.arange(len(table), dtype=np.uint64)
    masks: npt.NDArray[np.uint64] = np.where(table, bits, np.uint64(0)).sum(axis=1, dtype=np.uint64)
    return masks
