// The order in which a layout keeps the rows of bodies.
#include "testing/testing.h"

#include "base/memory.h"
#include "solve/layout.h"

// Slots of the rows of a layout of which all bodies touch their neighbours by slot.
static PhStatus lay_out(const PhSolverBodies *bodies, PhLayout *layout) {
    uint32_t count = bodies->count > 0 ? bodies->count - 1 : 0;
    uint32_t *index = ph_alloc((size_t)count + 1, sizeof *index);
    uint8_t *flags = ph_alloc(count, sizeof *flags);
    PhContactRecord *records = ph_alloc(count, sizeof *records);
    PhStatus status = index && flags && records ? PH_OK : PH_ERROR_MEMORY;
    for (uint32_t i = 0; !status && i <= count; i++) {
        index[i] = i;
    }
    if (!status) {
        PhContacts contacts = {.count = count, .pair = index, .body_a = index, .body_b = index + 1};
        PhPairList pairs = {
            .count = count, .owner = index, .other = index + 1, .flags = flags, .record = records};
        PhStepParameters parameters = {
            .lengths = &ph_lengths_of_one, .dt = 1.0 / 60, .substeps = 4};
        status = ph_layout_build(layout, ph_simd_find("scalar"), &contacts, &pairs, bodies,
                                 &parameters, PH_ALL_CHANGED);
    }
    ph_free(index);
    ph_free(flags);
    ph_free(records);
    return status;
}

const char testing_row_order_doc[] = "row_order($module, centers, /)\n--\n\n"
                                     "Slots of the bodies at these centres, (n, 2), in the order "
                                     "of their solver rows. Each touches\n"
                                     "the one before and the one behind.";
PyObject *testing_row_order(PyObject *Py_UNUSED(module), PyObject *argument) {
    PyArrayObject *centers = testing_numbers(argument, 2, 2);
    if (centers == NULL) {
        return NULL;
    }
    uint32_t count = (uint32_t)PyArray_DIM(centers, 0), found = 0;
    npy_intp size = (npy_intp)count;
    uint32_t *dynamic = ph_alloc(count, sizeof *dynamic);
    uint8_t *role = ph_alloc(count, sizeof *role);
    float(*mass)[4] = ph_alloc(count, sizeof *mass);
    PyObject *slots = PyArray_SimpleNew(1, &size, NPY_UINT32);
    PhLayout layout;
    ph_layout_init(&layout);
    PhStatus status = dynamic && role && mass ? PH_OK : PH_ERROR_MEMORY;
    for (uint32_t i = 0; !status && i < count; i++) {
        dynamic[i] = i;
        role[i] = PH_ROLE_DYNAMIC;
        mass[i][0] = mass[i][1] = 1;
    }
    if (!status) {
        PhSolverBodies bodies = {.count = count,
                                 .dynamic = dynamic,
                                 .dynamic_count = count,
                                 .role = role,
                                 .mass = (const float(*)[4])mass,
                                 .center = PyArray_DATA(centers)};
        status = lay_out(&bodies, &layout);
    }
    for (uint32_t row = 0; !status && slots != NULL && row < layout.solver_body_count; row++) {
        uint32_t slot = layout.arrays->solver_body_slot[row];
        if (slot != PH_NULL) {
            ((uint32_t *)PyArray_DATA((PyArrayObject *)slots))[found++] = slot;
        }
    }
    ph_layout_free(&layout);
    ph_free(dynamic);
    ph_free(role);
    ph_free(mass);
    Py_DECREF(centers);
    if (status) {
        Py_XDECREF(slots);
        return PyErr_NoMemory();
    }
    return slots;
}
