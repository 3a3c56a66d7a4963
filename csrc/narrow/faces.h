// Parts of the narrow phase shared by its files: separating faces, flat sides, clipping. Not used
// outside narrow/.
//
// "Core" means a piece without its radius. A 2-vertex piece has two faces, a single vertex has
// none.
#ifndef PH_NARROW_FACES_H
#define PH_NARROW_FACES_H

#include "narrow/collide.h"
#include "narrow/manifold_trace.h"

// Neighbouring edges within this angle's cosine may count as one side: a box must stand on a floor
// whose edge was cut into many as on one that was not.
#define PH_FLAT_COSINE 0.9999

typedef struct PhFace {
    double separation; // of the cores along the face's normal; -INFINITY when there is no face
    int32_t edge;      // of the owner
    int32_t vertex;    // of the other piece, the deepest along the normal
} PhFace;

// The face of `owner` that separates the cores most; the first of equals. to_other maps the owner's
// frame into the other's. Stops early at a face with more than `limit`; its vertex is then not
// meant to be used.
PhFace ph_best_face(const PhPiece *owner, const PhPiece *other, PhTransform to_other, double limit);
PhFace ph_face(const PhPiece *owner, int32_t edge, const PhPiece *other, PhTransform to_other);
static inline double ph_face_separation(const PhPiece *owner, int32_t edge, const PhPiece *other,
                                        PhTransform to_other) {
    PhVec2 normal = ph_rotate(to_other.q, owner->normals[edge]);
    double low = ph_dot(normal, other->vertices[0]);
    for (int32_t i = 1; i < other->count; i++) {
        low = ph_min(ph_dot(normal, other->vertices[i]), low);
    }
    return low - ph_dot(normal, ph_apply(to_other, owner->vertices[edge]));
}

// The sides that meet: the reference edge and the incident edge of the other piece, each drawn out
// over collinear neighbours. Common frame.
typedef struct PhSides {
    PhVec2 normal;                    // outward unit normal of the reference edge
    PhVec2 reference[2], incident[2]; // ends, counter-clockwise in their piece
    int32_t reference_vertex[2], incident_vertex[2];
    int32_t edge;
    double reference_radius, incident_radius;
    bool flipped; // the reference belongs to b
} PhSides;

PhSides ph_sides(const PhPiece *reference, PhTransform reference_pose, PhFace face,
                 const PhPiece *incident, PhTransform incident_pose, bool flipped,
                 const PhLengths *lengths);

// Clips the incident side to the reference side and stores the points with separation <= margin.
// Returns the smaller core separation of the clipped points, whether stored or not; INFINITY when
// the incident side lies beside the reference. recorder may be NULL, here and below.
double ph_clip(const PhSides *sides, double margin, const PhLengths *lengths,
               PhClipRecorder *recorder, PhManifold *out);
// The same; false when the deepest vertex (of separation `deepest`) was clipped away: another
// normal tells more.
static inline bool ph_clip_to(const PhSides *sides, double deepest, double margin,
                              const PhLengths *lengths, PhClipRecorder *recorder, PhManifold *out) {
    return ph_clip(sides, margin, lengths, recorder, out) <=
           deepest + lengths->twice_flat_deviation;
}

// The closest points of the two sides when they are apart.
typedef struct PhCorners {
    PhVec2 a, b;
    double distance;
    bool meet; // both points are ends: no face is involved
    int32_t vertex_a, vertex_b;
} PhCorners;

PhCorners ph_corners(const PhSides *sides);
// Whether corners must decide the normal: they are closest, and the best face (core separation)
// tells less than the truth.
bool ph_corners_rule(const PhCorners *corners, double face_separation, const PhLengths *lengths);
// One point between two corners, the normal from a's to b's.
void ph_corner_manifold(const PhCorners *corners, double radius_a, double radius_b, double margin,
                        PhManifold *out);

// One point: `point` is on the incident core, `separation` that of the cores, normal from the
// reference to it.
void ph_point_manifold(PhVec2 normal, PhVec2 point, double separation, double reference_radius,
                       double incident_radius, uint32_t feature, double margin, PhManifold *out);

// The same manifold with the names a and b exchanged.
void ph_flip(PhManifold *manifold);

// Begins a recorder with the sides that meet.
void ph_record_sides(PhClipRecorder *recorder, PhContactKind kind, const PhSides *sides);
// The points were found between these corners, not by clipping.
void ph_record_corners(PhClipRecorder *recorder, const PhCorners *corners);

static inline uint32_t ph_feature(bool flipped, int32_t reference, int32_t incident) {
    return (flipped ? 0x80000000u : 0u) | ((uint32_t)reference & 0x7fffu) << 16 |
           ((uint32_t)incident & 0xffffu);
}

// Kinds of pairs; one common frame near the pieces, all finite. The normal goes from the first
// piece to the second.
void ph_collide_circles(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                        double margin, PhClipRecorder *recorder, PhManifold *out);
// piece has at least two vertices, circle one.
void ph_collide_circle(const PhPiece *piece, PhTransform tp, const PhPiece *circle, PhTransform tc,
                       double margin, const PhLengths *lengths, PhClipRecorder *recorder,
                       PhManifold *out);
void ph_collide_polygons(const PhPiece *a, PhTransform ta, const PhPiece *b, PhTransform tb,
                         double margin, const PhLengths *lengths, PhClipRecorder *recorder,
                         PhManifold *out);
// chain is one-sided; body is any piece.
void ph_collide_chain(const PhPiece *chain, PhTransform tc, const PhPiece *body, PhTransform tb,
                      double margin, const PhLengths *lengths, PhManifold *out);

#endif
