// Rays through tile maps and rectangles of tiles: the C side of pyphys2d.geometry.TileMap.
#include <math.h>

#include "base/memory.h"
#include "geometry/tiles.h"
#include "python/convert.h"
#include "python/geometry_functions.h"
#include "python/ring_arguments.h"

// From this many rays on the GIL is released.
#define MANY 16
#define MAX_AXES 32 // of NumPy's iterators over several arrays

// A bytes object never changes, so its tiles are not copied.
static bool to_tiles(PyObject *cells, PyObject *rows, PyObject *columns, PhTiles *tiles) {
    long long r, c;
    if (!PyBytes_Check(cells)) {
        PyErr_Format(PyExc_TypeError, "cells: must be bytes, got %.100s", Py_TYPE(cells)->tp_name);
        return false;
    }
    if (!core_to_integer(rows, "rows", 0, INT32_MAX / 2, &r) ||
        !core_to_integer(columns, "columns", 0, INT32_MAX / 2, &c)) {
        return false;
    }
    if (r * c != PyBytes_GET_SIZE(cells)) {
        PyErr_Format(PyExc_ValueError, "cells: must hold rows x columns = %lld bytes, got %zd",
                     r * c, PyBytes_GET_SIZE(cells));
        return false;
    }
    *tiles = (PhTiles){(const unsigned char *)PyBytes_AS_STRING(cells), (int32_t)r, (int32_t)c};
    return true;
}

typedef struct Grid {
    PhTiles tiles;
    PhVec2 origin;
    double size;
} Grid;

static void cast_ray(const Grid *grid, PhVec2 origin, PhVec2 translation, CoreTileRow *row) {
    PhTileHit hit;
    PhVec2 from = ph_sub(origin, grid->origin);
    from = ph_vec(from.x / grid->size, from.y / grid->size);
    PhVec2 displacement = ph_vec(translation.x / grid->size, translation.y / grid->size);
    bool finite = isfinite(from.x + from.y + displacement.x + displacement.y);
    if (!finite || !ph_tiles_cast_ray(&grid->tiles, from, displacement, &hit)) {
        *row = (CoreTileRow){-1, -1, NAN, {NAN, NAN}, {NAN, NAN}};
        return;
    }
    PhVec2 point = ph_mul_add(origin, hit.fraction, translation);
    *row = (CoreTileRow){
        .row = hit.row,
        .column = hit.column,
        .fraction = hit.fraction,
        .point = {hit.on_x ? grid->origin.x + hit.x * grid->size : point.x,
                  hit.on_y ? grid->origin.y + hit.y * grid->size : point.y},
        .normal = {hit.normal.x, hit.normal.y},
    };
}

static PyObject *make_hit(const CoreState *core, const CoreTileRow *row) {
    if (row->row < 0) {
        Py_RETURN_NONE;
    }
    PyObject *const values[] = {
        PyLong_FromLong(row->row),
        PyLong_FromLong(row->column),
        PyFloat_FromDouble(row->fraction),
        core_from_vec2(ph_vec(row->point[0], row->point[1])),
        core_from_vec2(ph_vec(row->normal[0], row->normal[1])),
    };
    return core_record(core, TYPE_TILE_HIT, values);
}

// The iterator gives x and y of each ray, one after the other.
static PyObject *cast_rays(const CoreState *core, const Grid *grid, PyArrayMultiIterObject *it) {
    PyObject *flat = core_rows(core, ROW_TILE_HIT, NULL, it->size / 2);
    if (flat == NULL) {
        return NULL;
    }
    CoreTileRow *rows = PyArray_DATA((PyArrayObject *)flat);
    CoreLongWork work;
    const PhStop *stop = core_begin_work(&work, it->size >= MANY);
    for (npy_intp i = 0; i < it->size / 2 && !work.stopped; ++i) {
        double pair[2][2];
        for (int k = 0; k < 2; ++k) {
            pair[0][k] = *(const double *)PyArray_MultiIter_DATA(it, 0);
            pair[1][k] = *(const double *)PyArray_MultiIter_DATA(it, 1);
            PyArray_MultiIter_NEXT(it);
        }
        cast_ray(grid, ph_vec(pair[0][0], pair[0][1]), ph_vec(pair[1][0], pair[1][1]), &rows[i]);
        if (i % MANY == MANY - 1) {
            (void)ph_stop_wanted(stop); // which remembers it
        }
    }
    core_end_work(&work);
    if (work.stopped) {
        Py_DECREF(flat);
        return NULL;
    }
    PyArray_Dims shape = {it->dimensions, it->nd - 1};
    PyObject *array = PyArray_Newshape((PyArrayObject *)flat, &shape, NPY_CORDER);
    Py_DECREF(flat);
    return array;
}

static PyObject *cast(const CoreState *core, const Grid *grid, PyArrayObject *origins,
                      PyArrayObject *displacements) {
    if (PyArray_NDIM(origins) == 1 && PyArray_NDIM(displacements) == 1) {
        CoreTileRow row;
        cast_ray(grid, *core_points(origins), *core_points(displacements), &row);
        return make_hit(core, &row);
    }
    int axes[2] = {PyArray_NDIM(origins), PyArray_NDIM(displacements)};
    if (axes[0] > MAX_AXES || axes[1] > MAX_AXES) {
        int which = axes[0] > MAX_AXES ? 0 : 1;
        PyErr_Format(PyExc_ValueError, "%s: must have at most %d axes, got %d",
                     which == 0 ? "origin" : "translation", MAX_AXES, axes[which]);
        return NULL;
    }
    PyArrayMultiIterObject *it =
        (PyArrayMultiIterObject *)PyArray_MultiIterNew(2, origins, displacements);
    if (it == NULL) {
        if (PyErr_ExceptionMatches(PyExc_ValueError)) {
            PyErr_Clear();
            PyErr_SetString(PyExc_ValueError,
                            "translation: its shape does not broadcast with that of origin");
        }
        return NULL;
    }
    PyObject *hits = cast_rays(core, grid, it);
    Py_DECREF(it);
    return hits;
}

const char core_geometry_tile_rays_doc[] =
    "tile_rays($module, cells, rows, columns, corner, size, origin, translation)\n--\n\n"
    "First solid tiles on rays; TileMap.cast_ray calls it.\n\n"
    "Parameters\n----------\n"
    "cells : bytes\n    Row after row from the lowest; not 0: solid.\n"
    "rows, columns : int\n"
    "corner : array_like, shape (2,)\n    Lower left corner of the map, metres.\n"
    "size : float\n    Side of a tile, metres.\n"
    "origin, translation : array_like, shape (..., 2)\n\n"
    "Returns\n-------\n"
    "TileHit or None\n    For a single ray.\n"
    "ndarray of row, column, fraction, point, normal; shape (...)\n"
    "    Row and column -1 and NaN for a miss.\n\n"
    "Raises\n------\n"
    "ValueError\n    For a wrong shape, NaN or infinity.";
PyObject *core_geometry_tile_rays(PyObject *module, PyObject *const *args, Py_ssize_t count,
                                  PyObject *keywords) {
    CORE_ARGUMENTS("tile_rays", 7, 7, "cells", "rows", "columns", "corner", "size", "origin",
                   "translation");
    PyObject *result = NULL;
    Grid grid;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !to_tiles(values[0], values[1], values[2], &grid.tiles) ||
        !core_to_vec2(values[3], "corner", &grid.origin) ||
        !core_to_positive(values[4], "size", &grid.size)) {
        return NULL;
    }
    PyArrayObject *origins = core_to_points(values[5], "origin");
    PyArrayObject *displacements =
        origins != NULL ? core_to_points(values[6], "translation") : NULL;
    if (displacements != NULL) {
        result = cast(PyModule_GetState(module), &grid, origins, displacements);
    }
    Py_XDECREF(origins);
    Py_XDECREF(displacements);
    return result;
}

const char core_geometry_tile_rectangles_doc[] =
    "tile_rectangles($module, cells, rows, columns)\n--\n\n"
    "Disjoint rectangles whose union is the solid tiles; TileMap.rectangles calls it.\n\n"
    "Parameters\n----------\n"
    "cells : bytes\n    Row after row from the lowest; not 0: solid.\n"
    "rows, columns : int\n\n"
    "Returns\n-------\n"
    "ndarray of int32, shape (k, 4)\n    Row and column of the lowest left tile, height, width.";
PyObject *core_geometry_tile_rectangles(PyObject *Py_UNUSED(module), PyObject *const *args,
                                        Py_ssize_t count, PyObject *keywords) {
    CORE_ARGUMENTS("tile_rectangles", 3, 3, "cells", "rows", "columns");
    PhTiles tiles;
    PhTileRectangle *list;
    uint32_t found;
    if (!core_bind(&signature, args, count, keywords, values) ||
        !to_tiles(values[0], values[1], values[2], &tiles)) {
        return NULL;
    }
    if (ph_tiles_rectangles(&tiles, &list, &found) != PH_OK) {
        return PyErr_NoMemory();
    }
    npy_intp dims[2] = {found, 4};
    PyObject *result = PyArray_SimpleNew(2, dims, NPY_INT32);
    int32_t *out = result != NULL ? PyArray_DATA((PyArrayObject *)result) : NULL;
    for (uint32_t i = 0; out != NULL && i < found; ++i) {
        out[4 * i] = list[i].row;
        out[4 * i + 1] = list[i].column;
        out[4 * i + 2] = list[i].rows;
        out[4 * i + 3] = list[i].columns;
    }
    ph_free(list);
    return result;
}
