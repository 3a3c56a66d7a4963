// Calls of functions of two shapes at poses, one pair or many: conversion, broadcasting and the
// loop over rows.
//
// An operand is one shape or pose, or many. With many anywhere the call is plural: the leading axes
// of all operands broadcast as NumPy's do, and the answer has a row for each element.
#ifndef PH_PYTHON_GEOMETRY_PAIRS_H
#define PH_PYTHON_GEOMETRY_PAIRS_H

#include "python/convert.h"

#define PAIR_MAX_POSES 4
#define PAIR_MAX_DIMENSIONS 16

typedef struct PairOperand {
    const char *name;
    PyObject *owner;        // keeps the elements alive and as they are; NULL for plain numbers
    const PhShape **shapes; // own memory, or NULL
    const double *numbers;  // the owner's, or NULL
    npy_intp count;         // of elements
    const PhShape *shape;   // of a single one
    double number[3];       // of a single pose
    int ndim;               // 0 for a single one
    npy_intp dims[PAIR_MAX_DIMENSIONS];
    npy_intp stride[PAIR_MAX_DIMENSIONS]; // in elements, along the axes of the call
} PairOperand;

// Reads a shape or a sequence of them; the operand's name is set, the rest zero. Successful or not,
// it must be closed.
bool core_open_shapes(const CoreState *core, PyObject *object, PairOperand *operand);
void core_close_shapes(PairOperand *operand);

// What one row is computed from.
typedef struct Pair {
    const PhShape *a, *b;
    PhVec2 position[PAIR_MAX_POSES]; // of pose_a, pose_b, or start_a, end_a, start_b, end_b
    double angle[PAIR_MAX_POSES];
    PhRot rotation[PAIR_MAX_POSES]; // of functions of two poses only
    const PhStop *stop;             // of what moves, where it is alone; then the row is thrown away
} Pair;

// Computes one row, without the GIL; every byte of it.
typedef void PairCompute(const Pair *pair, const void *context, void *row);

typedef struct PairFunction {
    CoreSignature signature; // names: a, b, the poses, then more of the caller's own
    int pose_count;
    bool last_is_translation;
    CoreRow row; // ROW_COUNT: the row is a PhVec2, the result of many an array with an axis of 2
    PairCompute *compute;
    PyObject *(*make)(const CoreState *core, const void *row); // what a single call returns
} PairFunction;

// values: a, b and the poses (NULL: zeros); out may be NULL or None.
PyObject *core_pairs(const PairFunction *function, PyObject *module, PyObject *const *values,
                     PyObject *out, const void *context);

#endif
