// The displacement field: what moves together is known by it.
#include "broad/displacement_field.h"

enum { SAMPLE = 512 }; // proxies that tell of the displacements of all

PhDisplacementField ph_fit_displacements(const PhProxies *proxies) {
    double n = 0, x = 0, y = 0, displacement_x = 0, displacement_y = 0, turn = 0, square = 0;
    PhVec2 origin = {0, 0};
    uint32_t stride = 1 + proxies->moving_count / SAMPLE;
    for (uint32_t k = 0; k < proxies->moving_count; k += stride) {
        uint32_t p = proxies->moving[k];
        PhReach reach = proxies->reach[p];
        PhVec2 at = ph_middle_of(proxies->predicted[p]);
        if (!(fabs(at.x) + fabs(at.y) + fabs(reach.x) + fabs(reach.y) < 1e30)) {
            continue;
        }
        origin = n == 0 ? at : origin;
        PhVec2 r = ph_sub(at, origin);
        n++;
        x += r.x;
        y += r.y;
        displacement_x += reach.x;
        displacement_y += reach.y;
        turn += r.x * reach.y - r.y * reach.x;
        square += r.x * r.x + r.y * r.y;
    }
    if (n == 0) {
        return (PhDisplacementField){.share = 1};
    }
    double spin =
        (turn - (x * displacement_y - y * displacement_x) / n) / (square - (x * x + y * y) / n);
    spin = fabs(spin) * (PH_LOOKAHEAD + 2) < 0.5 ? spin : 0; // not when it is not a number
    return (PhDisplacementField){
        .mean = {displacement_x / n, displacement_y / n},
        .middle = {origin.x + x / n, origin.y + y / n},
        .spin = spin,
        .share = 1 / (1 - (PH_LOOKAHEAD + 2) * fabs(spin)),
    };
}
