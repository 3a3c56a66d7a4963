// Owns the consequences of a change: which lists, pairs, layouts and trees the next step rebuilds.
//
// Invariant: the flags that make a step repeat work are raised here alone. The code that has done
// the work lowers them (active.c for the lists, step.c for pairs and layout, joints.c for pairs
// that do not collide, queries.c for the query tree).
#include "world/changes.h"

void ph_note_pose(PhWorld *world, uint32_t slot) {
    world->tree_stale[slot] = 1;
    world->query_stale = true;
}

void ph_note_queries(PhWorld *world) {
    world->query_stale = true;
}

void ph_note_moved(PhWorld *world, uint32_t slot, uint8_t how) {
    world->moved[slot] = how;
    world->marked = true;
    world->lists_stale |= world->role[slot] < PH_ROLE_KINEMATIC;
    world->placed |= how == PH_MOVED_PLACED;
}

void ph_note_driven(PhWorld *world, uint32_t slot) {
    world->moved[slot] = PH_MOVED_PLACED;
    world->marked = true;
}

void ph_note_role(PhWorld *world) {
    world->layout_dirty = world->lists_stale = world->awake_changed = true;
    world->roster_changed = true;
    world->rest_forced = world->rest_forced || world->forced; // the force may be this body's
}

void ph_note_kinematics(PhWorld *world) {
    world->kinematics_stale = true;
}

void ph_note_force(PhWorld *world, uint32_t slot) {
    world->suspect = world->forced = true;
    world->rest_forced = world->rest_forced || world->role[slot] != PH_ROLE_DYNAMIC;
}

void ph_note_fields(PhWorld *world) {
    world->forced = true;
}

void ph_note_lists(PhWorld *world) {
    world->lists_stale = true;
}

void ph_note_proxies(PhWorld *world, uint32_t slot) {
    ph_targets_forget(&world->targets);
    world->static_changed |= !ph_is_dynamic(world, slot);
    world->pairs_dirty = world->layout_dirty = world->lists_stale = true;
}

void ph_note_fixed(PhWorld *world) {
    world->static_changed = true;
}

void ph_note_roster(PhWorld *world) {
    world->roster_changed = true;
}

void ph_note_pairs(PhWorld *world) {
    world->pairs_dirty = true;
}

void ph_note_apart(PhWorld *world) {
    world->joints.apart_stale = world->pairs_dirty = true;
}

void ph_note_layout(PhWorld *world) {
    world->layout_dirty = true;
}

void ph_note_levels(PhWorld *world) {
    world->levels_dirty = true;
}

void ph_note_all(PhWorld *world) {
    world->pairs_dirty = world->layout_dirty = world->static_changed = true;
    world->lists_stale = world->narrow_flags_stale = world->roster_changed = true;
    world->suspect = world->forced = world->rest_forced = world->kinematics_stale = true;
    world->awake_changed = world->compare_poses = world->query_stale = true;
}
