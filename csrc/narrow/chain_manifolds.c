// Manifolds of one-sided chain pieces: solid on the right of the walk, free on the left, smooth
// over the joints.
//
// A normal that only the end of a piece can give is a phantom where the chain goes on. It is judged
// in the chain's frame: at a convex joint the normals from this piece's to the neighbour's are
// true; anything else is either turned to the piece's own normal (flat and concave joints, or where
// that is the lesser push) or left to the neighbour. Invariant: a body whose centroid is behind the
// piece's line, by more than it may be there if it is thin, gets nothing from it.
//
// Source of the idea: E. Catto, "Ghost Collisions" (2020).
#include "narrow/faces.h"

// Joints that turn by less than this (radians) are flat.
#define FLAT_TURN 0.01
// Slack for normals at the limits of a joint's range (sine).
#define NORMAL_SLACK 1e-6

typedef enum Verdict { KEEP, TURN, DROP } Verdict;

// A body against a chain piece, seen from the chain.
typedef struct View {
    const PhPiece *chain, *body;
    PhTransform to_body; // chain's frame to the body's
    PhVec2 centroid;     // the body's, chain's frame
} View;

// Core separation of the body from the line through a point, normal in the chain's frame.
static double separation_along(const View *view, PhVec2 normal, PhVec2 point) {
    PhVec2 turned = ph_rotate(view->to_body.q, normal);
    double least = INFINITY;
    for (int32_t i = 0; i < view->body->count; i++) {
        double height = ph_dot(turned, view->body->vertices[i]);
        least = height < least ? height : least;
    }
    return least - ph_dot(turned, ph_apply(view->to_body, point));
}

// What to do with a normal (unit, chain's frame, from the chain to the body).
// apart: the two do not overlap along it.
static Verdict judge(const View *view, PhVec2 normal, bool apart) {
    const PhPiece *chain = view->chain;
    PhVec2 own = chain->normals[1], edge = ph_sub(chain->vertices[1], chain->vertices[0]);
    bool after = ph_dot(normal, edge) >= 0;
    if (!(chain->flags & (after ? PH_PIECE_GHOST_AFTER : PH_PIECE_GHOST_BEFORE))) {
        return apart || ph_dot(normal, own) >= 0 ? KEEP : TURN; // what passes an end is not pushed
    }
    PhVec2 joint = chain->vertices[after ? 1 : 0];
    PhVec2 neighbor =
        after ? ph_sub(chain->ghost_after, joint) : ph_sub(joint, chain->ghost_before);
    double turn = after ? ph_cross(edge, neighbor) : ph_cross(neighbor, edge);
    double cosine = ph_dot(edge, neighbor);
    if (turn > 0 || (turn == 0 && cosine > 0)) {
        return TURN;
    }
    PhVec2 limit = ph_normalize_or(ph_left(neighbor), own);
    if ((after ? ph_cross(limit, normal) : ph_cross(normal, limit)) >= -NORMAL_SLACK) {
        return KEEP;
    }
    // Of the two faces at the joint, the one that holds the body with less push has it. The
    // neighbour, judging the same joint, comes to the same answer.
    if (-turn < FLAT_TURN * cosine || ph_dot(limit, ph_sub(view->centroid, joint)) < 0) {
        return TURN;
    }
    return separation_along(view, limit, joint) > separation_along(view, own, joint) ? DROP : TURN;
}

// A joint belongs to the piece that ends there; to the one that starts there only when the centre
// is behind the former.
static void collide_circle(const PhPiece *chain, PhTransform tc, const PhPiece *circle,
                           PhVec2 center, double margin, const PhLengths *lengths,
                           PhManifold *out) {
    PhVec2 p = chain->vertices[0], q = chain->vertices[1], edge = ph_sub(q, p);
    PhVec2 local = ph_unapply(tc, center), from_p = ph_sub(local, p), from_q = ph_sub(local, q);
    PhVec2 normal = chain->normals[1];
    double separation = ph_dot(normal, from_p);
    int32_t reference = 1;
    bool before = ph_dot(from_p, edge) < 0;
    bool after = ph_dot(from_q, edge) > 0;
    if (after && chain->flags & PH_PIECE_GHOST_AFTER) {
        PhVec2 next = ph_sub(chain->ghost_after, q);
        bool convex = ph_cross(edge, next) < 0;
        if (ph_dot(from_q, next) >= 0 || (!convex && ph_dot(ph_left(next), from_q) < 0)) {
            return;
        }
    }
    if (before && chain->flags & PH_PIECE_GHOST_BEFORE) {
        PhVec2 last = ph_sub(p, chain->ghost_before);
        bool convex = ph_cross(last, edge) < 0;
        if (!convex || ph_dot(from_p, last) <= 0 || ph_dot(ph_left(last), from_p) >= 0) {
            return;
        }
    }
    if (before || after) {
        PhVec2 offset = before ? from_p : from_q;
        double distance = ph_length(offset);
        reference = before ? 0 : 1;
        if (distance > lengths->tiny) {
            normal = ph_scale(1 / distance, offset);
            separation = distance;
        }
    }
    ph_point_manifold(ph_rotate(tc.q, normal), center, separation, chain->radius, circle->radius,
                      ph_feature(false, reference, 0), margin, out);
}

// Takes the corners' normal, the own one or none.
static void collide_corners(const View *view, PhRot chain_rotation, const PhCorners *corners,
                            const PhSides *own_sides, double margin, const PhLengths *lengths,
                            PhManifold *out) {
    PhVec2 normal = ph_scale(1 / corners->distance, ph_sub(corners->b, corners->a));
    Verdict verdict =
        judge(view, ph_unrotate(chain_rotation, normal), corners->distance > lengths->tiny);
    out->count = 0;
    if (verdict == KEEP) {
        ph_corner_manifold(corners, view->chain->radius, view->body->radius, margin, out);
    } else if (verdict == TURN) {
        ph_clip(own_sides, margin, lengths, NULL, out);
    }
}

// The cases are those of two polygons, except that the chain has one face, always favoured,
// and that every other normal is judged.
static void collide_polygon(const PhPiece *chain, PhTransform tc, const PhPiece *body,
                            PhTransform tb, PhVec2 centroid, double margin,
                            const PhLengths *lengths, PhManifold *out) {
    double radii = chain->radius + body->radius;
    View view = {chain, body, ph_relative(tb, tc), centroid};
    PhFace own = ph_face(chain, 1, body, view.to_body);
    if (own.separation - radii > margin) {
        return;
    }
    PhFace face = ph_best_face(body, chain, ph_relative(tc, tb), margin + radii);
    if (face.separation - radii > margin) {
        return;
    }
    double best = face.separation > own.separation ? face.separation : own.separation;
    PhSides own_sides = ph_sides(chain, tc, own, body, tb, false, lengths);
    PhSides body_sides = ph_sides(body, tb, face, chain, tc, true, lengths);
    PhCorners corners = {.meet = false};
    if (best > -10 * lengths->tiny) {
        corners = ph_corners(face.separation > own.separation ? &body_sides : &own_sides);
        if (ph_corners_rule(&corners, best, lengths)) {
            collide_corners(&view, tc.q, &corners, &own_sides, margin, lengths, out);
            return;
        }
    }
    bool favor_own = !(face.separation > own.separation + lengths->axis_bias);
    if (favor_own && ph_clip_to(&own_sides, own.separation, margin, lengths, NULL, out)) {
        return;
    }
    if (corners.meet && corners.distance > lengths->tiny) {
        collide_corners(&view, tc.q, &corners, &own_sides, margin, lengths, out);
        return;
    }
    out->count = 0;
    Verdict verdict =
        judge(&view, ph_unrotate(tc.q, ph_neg(body_sides.normal)), face.separation > 0);
    if (verdict == KEEP) {
        ph_clip(&body_sides, margin, lengths, NULL, out);
    } else if (verdict == TURN) {
        ph_clip(&own_sides, margin, lengths, NULL, out);
    }
}

void ph_collide_chain(const PhPiece *chain, PhTransform tc, const PhPiece *body, PhTransform tb,
                      double margin, const PhLengths *lengths, PhManifold *out) {
    PhVec2 center = ph_apply(tb, body->centroid), local = ph_unapply(tc, center);
    // As deep as the layer that continuous collision lets enter, what is thin is still in front.
    double slack = ph_max(lengths->thin_layer - 0.5 * body->width, 0);
    if (!(ph_dot(chain->normals[1], ph_sub(local, chain->vertices[0])) >= -slack)) {
        return;
    }
    if (body->count == 1) {
        collide_circle(chain, tc, body, ph_apply(tb, body->vertices[0]), margin, lengths, out);
    } else {
        collide_polygon(chain, tc, body, tb, local, margin, lengths, out);
    }
}
