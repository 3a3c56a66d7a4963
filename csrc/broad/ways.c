// The field of ways: what moves together is known by it.
#include "broad/ways.h"

enum { SAMPLE = 512 }; // proxies that tell of the ways of all

PhWays ph_fit_ways(const PhProxies *proxies) {
    double n = 0, x = 0, y = 0, way_x = 0, way_y = 0, turn = 0, square = 0;
    PhVec2 origin = {0, 0};
    uint32_t stride = 1 + proxies->moving_count / SAMPLE;
    for (uint32_t k = 0; k < proxies->moving_count; k += stride) {
        uint32_t p = proxies->moving[k];
        PhReach reach = proxies->reach[p];
        PhVec2 at = ph_middle_of(proxies->fat[p]);
        if (!(fabs(at.x) + fabs(at.y) + fabs(reach.x) + fabs(reach.y) < 1e30)) {
            continue;
        }
        origin = n == 0 ? at : origin;
        PhVec2 r = ph_sub(at, origin);
        n++;
        x += r.x;
        y += r.y;
        way_x += reach.x;
        way_y += reach.y;
        turn += r.x * reach.y - r.y * reach.x;
        square += r.x * r.x + r.y * r.y;
    }
    if (n == 0) {
        return (PhWays){.share = 1};
    }
    double spin = (turn - (x * way_y - y * way_x) / n) / (square - (x * x + y * y) / n);
    spin = fabs(spin) * (PH_LOOKAHEAD + 2) < 0.5 ? spin : 0; // not when it is not a number
    return (PhWays){
        .mean = {way_x / n, way_y / n},
        .middle = {origin.x + x / n, origin.y + y / n},
        .spin = spin,
        .share = 1 / (1 - (PH_LOOKAHEAD + 2) * fabs(spin)),
    };
}
