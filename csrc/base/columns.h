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

// Grows every column to hold at least `need` rows (by half at least), keeping the rows below
// *capacity and zeroing the rest. On PH_ERROR_MEMORY nothing has changed. At most 32 columns.
PhStatus ph_grow_columns(const PhColumn *columns, int count, uint32_t *capacity, uint64_t need);

#endif
