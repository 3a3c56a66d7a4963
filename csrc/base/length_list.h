// Every length and speed that is built into the engine: its name in PhLengths, and its value in a
// world whose length unit is 1, in metres or metres per second. All are of the first power of a
// length, so all go with the unit alike. Settings of a world whose defaults go with it, too, are in
// ph_world_def in world/world.c. No include guard: who includes it says what PH_LENGTH is.

PH_LENGTH(one, 1) // where a length and an angle meet

// ------------------------------------------------------------------------------------------------
// which bodies have contacts, and from when on

// Bodies closer than this get a contact.
PH_LENGTH(speculative, 0.02)
// Half of it and a little: grown boxes of two bodies meet before their shapes come into range.
PH_LENGTH(box_slack, 0.011)
// Pairs hold while the way of a body in a step stays within this of what it was when they were
// found.
PH_LENGTH(displacement_slack, 0.005)
// What goes further in a step does not look ahead for pairs.
PH_LENGTH(farthest_ahead, 1000)
// Margins of the trees that queries and sensors use.
PH_LENGTH(tree_margin, 0.1)
// What gravity may add to the way of a step counts as arriving: between these. Boxes of pairs are
// grown by more.
PH_LENGTH(least_fall, 0.005)
PH_LENGTH(most_fall, 0.02)
// Points that approach faster, m/s, are looked at where they will meet.
PH_LENGTH(fast_approach, 0.5)
// Approaches from here on, m/s, are impacts even without restitution: see PH_IMPACT in
// solve/kernels.h.
PH_LENGTH(fast_impact, 0.5)

// ------------------------------------------------------------------------------------------------
// what passes, and what is met later

// Corners that would meet by less than this count as passing.
PH_LENGTH(pass_slop, 0.005)
// By how much two may miss each other in a step and are yet looked at as passing: a quarter of the
// speculative distance.
PH_LENGTH(pass_ahead, 0.005)
// By how little the way of a step may fall short of a gap, and how far points may slide, for a
// contact to be looked at where it will be; two corners are whenever they slide.
PH_LENGTH(ahead_slack, 2e-3)
PH_LENGTH(ahead_slide, 2e-3)
PH_LENGTH(half_ahead_slide, 1e-3)
// Slides of less than this turn no normal.
PH_LENGTH(least_slide, 1e-5)
// Of the search for the moment at which two meet. The line of the impulses of round bodies goes
// through both centres at that moment alone: so far off it, they change the angular momentum of two
// that nothing holds.
PH_LENGTH(impact_precision, 5e-5)
PH_LENGTH(free_precision, 1e-7)

// ------------------------------------------------------------------------------------------------
// manifolds

// A face of b must separate better than one of a by this much to be the reference: near ties do not
// flicker. One-sided pieces are favoured so whichever name they have.
PH_LENGTH(axis_bias, 0.0005)
// Neighbouring edges that leave the line of an edge by less than this lie on one side with it.
PH_LENGTH(flat_deviation, 1e-5)
PH_LENGTH(twice_flat_deviation, 2e-5)
// Below this length a direction between two points is not trusted.
PH_LENGTH(tiny, 1e-9)
// Two points closer than this along the side are one.
PH_LENGTH(merge, 1e-6)
// By how much corners must tell more than the best face does, to decide the normal.
PH_LENGTH(corner_slack, 1e-6)
// The same in float32: below this it gives no direction, and points are in one place.
PH_LENGTH(lane_tiny, 1e-6)
// A point this close to a corner is the corner.
PH_LENGTH(lane_near_corner, 1e-5)
// What float32 leaves unsure of a depth, and of gaps between boxes.
PH_LENGTH(lane_depth_slack, 5e-5)
PH_LENGTH(lane_gap_slack, 1e-4)
// Centres of circles nearer than this are in one place; sides that run for less do not run.
PH_LENGTH(lane_coincident, 1e-15)
PH_LENGTH(lane_least_run, 1e-12)
// Extents between these leave errors of at most 1e-5 m and far less than the sizes.
PH_LENGTH(lane_most, 128)
PH_LENGTH(lane_least, 1e-3)
// A manifold of lanes is shown in double precision where they agree to this along the surface and
// across it.
PH_LENGTH(same_point, 1e-4)
PH_LENGTH(same_separation, 1e-4)
// Of two points, how much deeper the one has to be to carry the load of a third that has gone.
PH_LENGTH(same_depth, 1e-6)

// ------------------------------------------------------------------------------------------------
// floors of several pieces

// By how much a point that is left out may be higher; points this near are one.
PH_LENGTH(floor_flat, 1e-4)
PH_LENGTH(floor_one_place, 1e-3)
// Of what is hidden: above the surface that covers it, what may be open or stand out between two
// pieces, and how far beside a point that surface goes on.
PH_LENGTH(floor_hidden_height, 2e-4)
PH_LENGTH(floor_seam, 1e-3)
PH_LENGTH(floor_beside, 5e-3)
// Of flush pieces: by how much their sides may be off one line, and what may be open between two.
PH_LENGTH(flush_level, 2e-4)
PH_LENGTH(flush_seam, 1e-3)

// ------------------------------------------------------------------------------------------------
// continuous collision

// A piece is stopped this far in front of what it would pass through; what is as near as that at
// the start, when it has gone in as deep as its layer.
PH_LENGTH(stop_distance, 1e-3)
// The layer that may always go in if the piece is as thick, and at which a core counts as arrived.
PH_LENGTH(thin_layer, 5e-3)
PH_LENGTH(core_distance, 1e-5)
// A way in a step that is never fast: nearer things have had a contact.
PH_LENGTH(least_fast, 5e-3)
// Coordinates and sizes up to which rounding can be neglected beside core_distance.
PH_LENGTH(plain_place, 1e8)
PH_LENGTH(plain_reach, 100)

// ------------------------------------------------------------------------------------------------
// solver

// Points that meet within this distance of one that bounces bounce with it, as a box that lands
// flat but for rounding does not turn.
PH_LENGTH(meet_together, 1e-4)
// What is further apart than this after the last substep meets in the next step, if it does: the
// relaxation leaves it its speed, as part of an impulse now and the rest along another normal would
// be another impact.
PH_LENGTH(open_gap, 1e-4)
// Faster than this, m/s, what comes is stopped at once; what is thrown apart begins anew.
PH_LENGTH(stopped_at_once, 1)
PH_LENGTH(thrown_apart, 0.5)
// Friction of an impact turns a body that lands flat, so that one of its points comes in again:
// faster than so (m/s), both are found anew with the friction, until it comes in slower than
// `stays`.
PH_LENGTH(comes_in, 0.02)
PH_LENGTH(stays, 1e-3)
// Sweeps over the contacts of joints end when velocities change by less, m/s.
PH_LENGTH(settled, 1e-5)
// A velocity, m/s, that is too much for any point to act: times any mass it is a number, or what is
// compared below would be none, and the sign of that is the processor's.
PH_LENGTH(never, 1e8)
// Only what is closer than this, or than some ways of the substep, may meet in it; at that moment
// points this near meet too: what lands less than a millimetre out of flat lands flat, whichever
// side is a hair lower.
PH_LENGTH(impact_near, 1e-3)
PH_LENGTH(meet_at_once, 1e-3)
// What is pressed in by less is left alone.
PH_LENGTH(deep, 0.01)
// Of joints: a length that has no direction of its own; a rope that is as good as a revolute joint;
// errors that would be taken back faster than this, m/s, are large, the second one where contacts
// know of the joints.
PH_LENGTH(joint_shortest, 1e-9)
PH_LENGTH(shortest_rope, 1e-3)
// By how much a limit with a bound may be passed and pushes back at once.
PH_LENGTH(stop_slop, 1e-3)
PH_LENGTH(joint_large, 0.1)
PH_LENGTH(joint_large_fine, 0.005)

// Depth from which on contacts of what joints hold go through these.
PH_LENGTH(jammed, 0.01)
// Of the deepest contact of two bodies: from the first on, the friction of contacts that are at
// odds fades; from the second on there is none, and an escape is looked for. By the third pieces
// may overlap and yet be apart.
PH_LENGTH(escape_slips, 4e-3)
PH_LENGTH(escape_deep, 8e-3)
PH_LENGTH(escape_touching, 1e-3)
// How much further than side by side a joint may open where continuous collision stops a body.
PH_LENGTH(joint_more_gap, 5e-3)

// ------------------------------------------------------------------------------------------------
// sleep

// Islands slower than this, m/s, fall asleep if they are at rest: what lies on something fixed when
// its velocities have changed by less than the second in half of the time, anything else when
// nothing has moved by more than the third, nor changed its velocity by more than that, m and m/s.
PH_LENGTH(sleep_speed, 0.05)
PH_LENGTH(sleep_changed, 5e-3)
PH_LENGTH(sleep_moved, 1e-4)
