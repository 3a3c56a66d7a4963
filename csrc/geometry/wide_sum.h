// Exact sums of products of any finite float64, for the rare inputs that are out of reach of the
// faster expansions of geometry/predicates.c.
#ifndef PH_GEOMETRY_WIDE_SUM_H
#define PH_GEOMETRY_WIDE_SUM_H

#include <stdint.h>

// Limbs of 32 bits: products reach from 2^-2148 to 2^2048, sums 2^31 times as far.
#define PH_WIDE_LIMBS 134

typedef struct PhWideSum {
    int64_t limbs[PH_WIDE_LIMBS]; // value: sum of limbs[i] 2^(32 i - 2148)
    int32_t terms;                // since the carries were last passed on
} PhWideSum;

void ph_wide_clear(PhWideSum *sum);
// sum += a b, both finite.
void ph_wide_add(PhWideSum *sum, double a, double b);
// -1, 0 or +1. Passes the carries on, and leaves the value as it is.
int ph_wide_sign(PhWideSum *sum);

#endif
