"""Tables: structured arrays whose columns are numbers, with vectors as keys over two of them.

`world.contacts` and its like name ``normal_x`` and ``normal_y`` as columns, which is what data
frames read, and give both as ``table["normal"]``, shape (n, 2). That key is an entry of the dtype
that no column list names, and an array that NumPy made a new dtype for (of a file, of
`numpy.concatenate` with one table) has lost it: what reads tables of others reads by `vector`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def has(table: NDArray[Any], name: str) -> bool:
    """Whether a table has a column or vector of that name."""
    fields: Any = table.dtype.fields or {}
    return name in fields or f"{name}_x" in fields


def vector(table: NDArray[Any], name: str) -> NDArray[np.float64]:
    """The vectors of that name, shape (n, 2)."""
    if name in (table.dtype.fields or {}):
        return np.asarray(table[name])
    return np.stack([table[f"{name}_x"], table[f"{name}_y"]], axis=-1)


def join(tables: list[NDArray[Any]]) -> NDArray[Any]:
    """Tables of one dtype, one after the other, with its vectors."""
    dtype = tables[0].dtype
    result = np.empty(sum(map(len, tables)), dtype)
    np.concatenate(tables, out=result)
    return result
