// Tables as columns: several arrays that share one row count and grow together, all or none.
#ifndef PH_BASE_COLUMNS_H
#define PH_BASE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct PhColumn {
    void *data;  // address of the array pointer
    size_t size; // bytes per row
} PhColumn;

enum { PH_MAX_COLUMNS = 64 };
// In a function that grows so many: a compiler that finds more refuses them.
#define PH_FEW_COLUMNS(columns)                                                                    \
    _Static_assert(sizeof(columns) / sizeof(columns)[0] <= PH_MAX_COLUMNS, "too many columns")

// Grows every column to hold at least `need` rows (by half at least), keeping the rows below
// *capacity and zeroing the rest. On PH_ERROR_MEMORY, and on PH_ERROR_STOPPED when stop (which may
// be NULL) is wanted, nothing has changed. At most PH_MAX_COLUMNS columns.
PhStatus ph_grow_columns(const PhColumn *columns, int count, uint32_t *capacity, uint64_t need,
                         const PhStop *stop);

// All arrays that something owns, listed once for freeing and for copying it.
typedef struct PhArray {
    void *data;  // address of the array pointer, which may be NULL
    size_t size; // bytes per row
    size_t capacity;
} PhArray;
// One whose room stands with the block alone.
#define PH_ARRAY(array)                                                                            \
    { &(array), 1, ph_room(array) }

// After a struct was assigned from another: gives it arrays of its own with the same content. On
// PH_ERROR_MEMORY, and on PH_ERROR_STOPPED when stop (which may be NULL) is wanted, all of its
// pointers are NULL.
PhStatus ph_unshare_arrays(const PhArray *arrays, int count, const PhStop *stop);
void ph_free_arrays(const PhArray *arrays, int count);  // leaves NULL
void ph_clear_arrays(const PhArray *arrays, int count); // to zeros, as fresh ones are

#endif
