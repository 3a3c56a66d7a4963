// Every length and speed that is built into the engine: its name in PhLengths, and its value, in
// metres or metres per second, in a world whose length unit is 1. All are proportional to a length,
// so all scale with the unit. Settings of a world whose defaults scale with it too are in
// ph_world_def in world/world.c. There is no include guard: the including file defines PH_LENGTH.

PH_LENGTH(one, 1) // where a length and an angle meet

// ------------------------------------------------------------------------------------------------
// which bodies have contacts, and from what distance on

// Bodies closer than this get a contact.
PH_LENGTH(speculative, 0.02)
// Corners that come further than this in a step by the spin of their body make it look further
// ahead.
PH_LENGTH(spin_slack, 0.01)
// Half of it and a little more: enlarged boxes of two bodies meet before their shapes come into
// range.
PH_LENGTH(box_slack, 0.011)
// Pairs stay valid while the displacement of a body in a step differs by less than this from the
// one when they were found.
PH_LENGTH(displacement_slack, 0.005)
// A proxy with a larger displacement in a step does not look ahead for pairs.
PH_LENGTH(farthest_ahead, 1000)
// Margins of the trees that queries and sensors use.
PH_LENGTH(tree_margin, 0.1)
// What gravity may add to the displacement of a step, limited to this range, counts as approach.
// Boxes of pairs are grown by more.
PH_LENGTH(least_fall, 0.005)
PH_LENGTH(most_fall, 0.02)
// Points that approach faster, m/s, are examined at the place where they will meet.
PH_LENGTH(fast_approach, 0.5)
// Approaches faster than this, m/s, are impacts even without restitution: see PH_IMPACT in
// solve/kernels.h.
PH_LENGTH(fast_impact, 0.5)
// What is left of an impact without restitution is passed on above this, m/s; less of it is left to
// the soft solve, which would answer with a rebound of about as much.
PH_LENGTH(passed_on, 0.05)

// A tower falls already where a body of it moves faster than this past another, m/s.
PH_LENGTH(tower_speed, 0.25)
// Contacts of a tower with a heavy body that are pressed in by more get no stiffer: it would throw
// what it bears.
PH_LENGTH(tower_depth, 3e-3)

// ------------------------------------------------------------------------------------------------
// grazing corners and predicted impacts

// Corners that would overlap by less than this pass each other.
PH_LENGTH(pass_slop, 0.005)
// Two that miss each other by up to this in a step are still examined for grazing: a quarter of the
// speculative distance.
PH_LENGTH(pass_ahead, 0.005)
// A contact is examined at its future place if the displacement of the step falls short of the gap
// by less than the first, or if points slide by more than the second. Two corners are examined
// whenever they slide.
PH_LENGTH(ahead_slack, 2e-3)
PH_LENGTH(ahead_slide, 2e-3)
PH_LENGTH(half_ahead_slide, 1e-3)
// Slides of less than this change no normal.
PH_LENGTH(least_slide, 1e-5)
// Precision of the search for a time of impact. The line of the impulses of round bodies goes
// through both centres only at that time. An error of this size changes the angular momentum of two
// free bodies.
PH_LENGTH(impact_precision, 5e-5)
PH_LENGTH(free_precision, 1e-7)

// ------------------------------------------------------------------------------------------------
// manifolds

// A face of b must separate better than one of a by this much to be the reference, so that near
// ties do not flicker. One-sided pieces have this advantage, whether they are a or b.
PH_LENGTH(axis_bias, 0.0005)
// Neighbouring edges that deviate from the line of an edge by less than this belong to one side
// with it.
PH_LENGTH(flat_deviation, 1e-5)
PH_LENGTH(twice_flat_deviation, 2e-5)
// Below this length a direction between two points is not trusted.
PH_LENGTH(tiny, 1e-9)
// Two points closer than this along the side are one.
PH_LENGTH(merge, 1e-6)
// By how much corners must separate more than the best face does, to give the normal.
PH_LENGTH(corner_slack, 1e-6)
// The same in float32: shorter vectors give no direction, and such points are in one place.
PH_LENGTH(lane_tiny, 1e-6)
// A point this close to a corner is the corner.
PH_LENGTH(lane_near_corner, 1e-5)
// The uncertainty of float32 in a depth, and in gaps between boxes.
PH_LENGTH(lane_depth_slack, 5e-5)
PH_LENGTH(lane_gap_slack, 1e-4)
// Centres of circles nearer than this coincide; sides shorter than this have no direction.
PH_LENGTH(lane_coincident, 1e-15)
PH_LENGTH(lane_least_run, 1e-12)
// Between these extents, errors are at most 1e-5 m and far less than the sizes.
PH_LENGTH(lane_most, 128)
PH_LENGTH(lane_least, 1e-3)
// A manifold of the lanes is shown in double precision if they agree to this along the surface and
// across it.
PH_LENGTH(same_point, 1e-4)
PH_LENGTH(same_separation, 1e-4)
// By how much deeper one of two points has to be to carry the load of a third that has gone.
PH_LENGTH(same_depth, 1e-6)

// ------------------------------------------------------------------------------------------------
// floors of several pieces

// By how much a point that is left out may be higher; points nearer than this are one.
PH_LENGTH(floor_flat, 1e-4)
PH_LENGTH(floor_one_place, 1e-3)
// Of hidden sides: above the surface that covers them, by how much two pieces may gape or stand
// out, and how far that surface continues beside a point.
PH_LENGTH(floor_hidden_height, 2e-4)
PH_LENGTH(floor_seam, 1e-3)
PH_LENGTH(floor_beside, 5e-3)
// Of flush pieces: by how much their sides may deviate from one line, and the gap between two.
PH_LENGTH(flush_level, 2e-4)
PH_LENGTH(flush_seam, 1e-3)

// ------------------------------------------------------------------------------------------------
// continuous collision

// A piece is stopped at this distance from what it would pass through. A piece that is as near as
// that at the start is stopped when it has entered as deep as its layer.
PH_LENGTH(stop_distance, 1e-3)
// The layer that may always enter, if the piece is that thick; a core this near has arrived.
PH_LENGTH(thin_layer, 5e-3)
PH_LENGTH(core_distance, 1e-5)
// A displacement in a step that is never fast: nearer things have had a contact.
PH_LENGTH(least_fast, 5e-3)
// Coordinates and sizes up to which rounding is negligible compared with core_distance.
PH_LENGTH(plain_place, 1e8)
PH_LENGTH(plain_reach, 100)

// ------------------------------------------------------------------------------------------------
// solver

// Points that meet within this distance of one that bounces bounce with it, so that a box that
// lands flat except for rounding does not turn.
PH_LENGTH(meet_together, 1e-4)
// Points that are further apart than this after the last substep may meet in the next step. The
// relaxation leaves them their velocity, because part of an impulse now, and the rest along another
// normal, would be another impact.
PH_LENGTH(open_gap, 1e-4)
// Deeper overlaps are separated by displacements that leave no velocity behind.
PH_LENGTH(deep_overlap, 0.02)
// Of what bounces, in islands that nothing holds.
PH_LENGTH(free_overlap, 1e-3)
// A faster approach, m/s, is stopped at once; a body that is thrown apart faster begins anew.
PH_LENGTH(stopped_at_once, 1)
PH_LENGTH(thrown_apart, 0.5)
// Friction of an impact turns a body that lands flat, so that one of its points approaches again.
// If it does so faster than this, m/s, both impulses are found anew with the friction, until it is
// slower than `stays`.
PH_LENGTH(comes_in, 0.02)
PH_LENGTH(stays, 1e-3)
// Sweeps over contacts of jointed bodies end when velocities change by less, m/s.
PH_LENGTH(settled, 1e-5)
// A velocity, m/s, that is too large for any point to act. Times any mass it is still finite;
// otherwise comparisons would see a NaN, whose sign depends on the processor.
PH_LENGTH(never, 1e8)
// Points closer than this, or than some displacements of the substep, may meet in it. Points this
// near at that moment meet too: a body that lands less than a millimetre out of flat lands flat,
// whichever side is lower.
PH_LENGTH(impact_near, 1e-3)
// Impacts are of one moment if the surfaces of one are not further apart than this at the moment of
// the other. What would meet in this distance after the end of a substep meets in it. Otherwise it
// would be left to rounding whether a ball hits two others at once.
PH_LENGTH(impact_tie, 1e-6)
PH_LENGTH(meet_at_once, 1e-3)
// Contacts that are pressed in by less are left alone.
PH_LENGTH(deep, 0.01)
// Of joints: a length too short to have a direction; a rope that is as good as a revolute joint;
// errors whose correction would be faster than this, m/s, are large; the second one holds where
// contacts know of the joints.
PH_LENGTH(joint_shortest, 1e-9)
PH_LENGTH(shortest_rope, 1e-3)
// The most by which a limit with a bound may be passed and still push back at once.
PH_LENGTH(stop_slop, 1e-3)
PH_LENGTH(joint_large, 0.1)
PH_LENGTH(joint_large_fine, 0.005)

// Depth from which on contacts of jointed bodies are solved through their joints.
PH_LENGTH(jammed, 0.01)
// Contacts of jointed bodies that change the speed of the lighter one by more in a step, m/s,
// beside what it may carry, are taken for impacts.
PH_LENGTH(no_load, 0.5)
// For the deepest contact of two bodies: from the first depth on, the friction of contradicting
// contacts fades; from the second on there is none, and an escape is searched for. Pieces that
// overlap by less than the third count as separated.
PH_LENGTH(escape_slips, 4e-3)
PH_LENGTH(escape_deep, 8e-3)
PH_LENGTH(escape_touching, 1e-3)
// By how much more than bodies side by side a joint may open where continuous collision stops a
// body.
PH_LENGTH(joint_more_gap, 5e-3)

// ------------------------------------------------------------------------------------------------
// sleep

// Islands slower than this, m/s, fall asleep if they are at rest. A body on something fixed is at
// rest if its velocities have changed by less than the second in half of the time; any other body,
// if it has not moved by more than the third, m, nor changed its velocity by more than that, m/s.
PH_LENGTH(sleep_speed, 0.05)
PH_LENGTH(sleep_changed, 5e-3)
PH_LENGTH(sleep_moved, 1e-4)
// What rocks in a heap has points slower than this by its spin, m/s.
PH_LENGTH(rocking_spin, 0.5)
