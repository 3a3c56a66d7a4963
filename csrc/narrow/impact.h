// Time of impact: when two moving pieces, or whole shapes, come as close as a target distance.
//
// For time-of-impact questions of the user and for continuous collision alike. The answer is never
// later than the truth but for rounding: at every earlier moment the distance is above the target.
#ifndef PH_NARROW_IMPACT_H
#define PH_NARROW_IMPACT_H

#include "base/status.h"
#include "geometry/distance.h"
#include "geometry/shape.h"
#include "geometry/sweep.h"

// Rounds of the search for one pair of pieces, about a microsecond each. A search that is not
// settled by then (a spin of hundreds of turns close to the target) goes on with the ring that each
// spinning piece sweeps in place of the piece: a hit may be found too early, by less than a turn
// where the ring comes into the other one, and never too late. Without a spin, which does not
// occur, it ends as a hit where it stands.
enum { PH_IMPACT_ROUNDS = 1024 };
// Pairs of whole shapes, and of a step's sensors, share a number of rounds. When they are used up
// each further pair of which a piece turns by more than this, radians, is given a few.
#define PH_IMPACT_SPIN 8.0
enum { PH_IMPACT_FEW_ROUNDS = 8 };

typedef struct PhImpact {
    bool hit;
    double fraction; // of the motions, 0 to 1; 1 without a hit
    PhVec2 point;    // midway between the closest points at that moment, common frame
    PhVec2 normal;   // unit, from a to b; zero when the cores overlap at the start
    int32_t piece_a, piece_b;
    int32_t rounds; // of the search: distances that were examined
} PhImpact;

// The distances that were examined, in order.
typedef struct PhImpactRound {
    double fraction;
    PhDistance distance; // common frame
} PhImpactRound;

typedef struct PhImpactRecorder {
    PhImpactRound *rounds; // from ph_alloc; the caller frees it
    uint32_t count;
    PhStatus status; // PH_ERROR_MEMORY: rounds are missing
} PhImpactRecorder;

// The first moment up to `limit` (a fraction, 1 for the whole motion) at which the distance is at
// most target (>= 0, metres; met to 1e-9 of it). A pair that is as close as that at the start hits
// at 0. One-sided pieces are plain segments here. Motions may be of any length; of pieces that
// begin 1e150 m apart only the start is examined. rounds: PH_IMPACT_ROUNDS, or fewer for a pair of
// which a piece turns by more than PH_IMPACT_SPIN. recorder may be NULL.
PhImpact ph_pieces_impact(const PhPiece *a, const PhSweep *motion_a, const PhPiece *b,
                          const PhSweep *motion_b, double target, double limit, int32_t rounds,
                          PhImpactRecorder *recorder);

// Rounds for the next pair of many that share a number of them, of which some are left.
static inline int32_t ph_impact_share(int64_t left) {
    return left >= PH_IMPACT_ROUNDS      ? PH_IMPACT_ROUNDS
           : left > PH_IMPACT_FEW_ROUNDS ? (int32_t)left
                                         : PH_IMPACT_FEW_ROUNDS;
}

// The same for whole shapes: the first of all pairs of pieces. Where stop is wanted, what was found
// so far.
PhImpact ph_shapes_impact(const PhShape *a, const PhSweep *motion_a, const PhShape *b,
                          const PhSweep *motion_b, double target, const PhStop *stop);

#endif
