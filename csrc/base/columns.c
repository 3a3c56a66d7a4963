// Owns nothing: grows the columns of a table in two phases, so that a failure leaves all of them as
// they were.
#include "base/columns.h"

#include <string.h>

#include "base/memory.h"

enum { MAX_COLUMNS = 32 };

PhStatus ph_grow_columns(const PhColumn *columns, int count, uint32_t *capacity, uint64_t need) {
    PH_ASSERT(count <= MAX_COLUMNS);
    if (need <= *capacity) {
        return PH_OK;
    }
    uint64_t rows = need + need / 2 + 16;
    if (rows > UINT32_MAX / 2) {
        return PH_ERROR_MEMORY;
    }
    void *fresh[MAX_COLUMNS];
    for (int i = 0; i < count; i++) {
        fresh[i] = ph_alloc((size_t)rows, columns[i].size);
        if (!fresh[i]) {
            while (i-- > 0) {
                ph_free(fresh[i]);
            }
            return PH_ERROR_MEMORY;
        }
    }
    for (int i = 0; i < count; i++) {
        void *old;
        memcpy(&old, columns[i].data, sizeof old);
        if (old) {
            memcpy(fresh[i], old, (size_t)*capacity * columns[i].size);
        }
        ph_free(old);
        memcpy(columns[i].data, &fresh[i], sizeof old);
    }
    *capacity = (uint32_t)rows;
    return PH_OK;
}
