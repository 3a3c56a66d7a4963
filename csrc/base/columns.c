// Owns nothing: grows the columns of a table in two phases, so that a failure leaves all of them as
// they were; copies and frees lists of arrays.
#include "base/columns.h"

#include <string.h>

#include "base/memory.h"

PhStatus ph_grow_columns(const PhColumn *columns, int count, uint32_t *capacity, uint64_t need,
                         const PhStop *stop) {
    PH_ASSERT(count <= PH_MAX_COLUMNS);
    if (need <= *capacity) {
        return PH_OK;
    }
    // The first time it may be known how many there will be: no more than those, and a few.
    uint64_t rows = need + (*capacity ? need / 2 : 0) + 16;
    if (rows > UINT32_MAX / 2) {
        return PH_ERROR_MEMORY;
    }
    void *fresh[PH_MAX_COLUMNS];
    for (int i = 0; i < count; i++) {
        bool stopped = ph_stop_wanted(stop);
        fresh[i] = stopped ? NULL : ph_alloc((size_t)rows, columns[i].size);
        if (!fresh[i]) {
            while (i-- > 0) {
                ph_free(fresh[i]);
            }
            return stopped ? PH_ERROR_STOPPED : PH_ERROR_MEMORY;
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

static void *get(const PhArray *array) {
    void *rows;
    memcpy(&rows, array->data, sizeof rows);
    return rows;
}
static void set(const PhArray *array, void *rows) {
    memcpy(array->data, &rows, sizeof rows);
}

PhStatus ph_unshare_arrays(const PhArray *arrays, int count, const PhStop *stop) {
    PhStatus status = PH_OK;
    int done = 0;
    for (; done < count && !status; done++) {
        void *old = get(&arrays[done]), *own = NULL;
        status = ph_stop_between(stop, arrays[done].capacity);
        if (status) {
            break;
        }
        if (old) {
            own = ph_alloc(arrays[done].capacity, arrays[done].size);
            status = own ? PH_OK : PH_ERROR_MEMORY;
        }
        if (own) {
            memcpy(own, old, (size_t)arrays[done].capacity * arrays[done].size);
        }
        set(&arrays[done], own);
    }
    if (status) {
        ph_free_arrays(arrays, done);
        for (; done < count; done++) {
            set(&arrays[done], NULL); // still the other's
        }
    }
    return status;
}

void ph_free_arrays(const PhArray *arrays, int count) {
    for (int i = 0; i < count; i++) {
        ph_free(get(&arrays[i]));
        set(&arrays[i], NULL);
    }
}

void ph_clear_arrays(const PhArray *arrays, int count) {
    for (int i = 0; i < count; i++) {
        void *rows = get(&arrays[i]);
        if (rows) {
            memset(rows, 0, (size_t)arrays[i].capacity * arrays[i].size);
        }
    }
}
