// All arrays that a world owns, apart from those inside broad, layout, tree, targets and state:
// listed once, for growing, freeing and copying. Those that share a capacity are the columns of one
// table. An array that is not listed here is neither freed nor copied; tests/house compares the
// list with the struct.
#ifndef PH_WORLD_ARRAYS_H
#define PH_WORLD_ARRAYS_H

#include "base/columns.h"

// By slot: slot_capacity. Rows say what a body is and how it stands; behind them are lists, which
// have counts, and scratch.
#define PH_SLOT_ROWS(COLUMN)                                                                       \
    COLUMN(role)                                                                                   \
    COLUMN(moved)                                                                                  \
    COLUMN(last_awake)                                                                             \
    COLUMN(tree_stale)                                                                             \
    COLUMN(bears)                                                                                  \
    COLUMN(shifted)                                                                                \
    COLUMN(mass)                                                                                   \
    COLUMN(center)                                                                                 \
    COLUMN(gravity_scale)                                                                          \
    COLUMN(linear_damping)                                                                         \
    COLUMN(angular_damping)                                                                        \
    COLUMN(substep_level)                                                                          \
    COLUMN(transform)                                                                              \
    COLUMN(pose_angle)                                                                             \
    COLUMN(off_center)                                                                             \
    COLUMN(limited)                                                                                \
    COLUMN(sleep_reach)                                                                            \
    COLUMN(sleep_time)                                                                             \
    COLUMN(rest_mark)                                                                              \
    COLUMN(continuous.reach)                                                                       \
    COLUMN(continuous.limit)                                                                       \
    COLUMN(continuous.hull)                                                                        \
    COLUMN(continuous.listed)                                                                      \
    COLUMN(continuous.lost)                                                                        \
    COLUMN(continuous.several)
#define PH_SLOT_LISTS(COLUMN)                                                                      \
    COLUMN(woken)                                                                                  \
    COLUMN(found)                                                                                  \
    COLUMN(dynamic)                                                                                \
    COLUMN(kinematic)                                                                              \
    COLUMN(island_time)                                                                            \
    COLUMN(continuous.start)                                                                       \
    COLUMN(continuous.fast)
#define PH_SLOT_COLUMNS(COLUMN) COLUMN(body) PH_SLOT_ROWS(COLUMN) PH_SLOT_LISTS(COLUMN)

// By proxy: proxies.capacity. Rows and lists, likewise.
#define PH_PROXY_ROWS(COLUMN)                                                                      \
    COLUMN(proxies.box)                                                                            \
    COLUMN(proxies.predicted)                                                                      \
    COLUMN(proxies.reach)                                                                          \
    COLUMN(proxies.slab)                                                                           \
    COLUMN(proxies.left)                                                                           \
    COLUMN(proxies.body)                                                                           \
    COLUMN(proxies.collider)                                                                       \
    COLUMN(proxies.piece)                                                                          \
    COLUMN(proxies.flags)                                                                          \
    COLUMN(proxies.category)                                                                       \
    COLUMN(proxies.mask)                                                                           \
    COLUMN(proxies.group)                                                                          \
    COLUMN(proxy_piece)                                                                            \
    COLUMN(span)                                                                                   \
    COLUMN(tree_leaf)                                                                              \
    COLUMN(lane_place)                                                                             \
    COLUMN(lane_piece)                                                                             \
    COLUMN(material)                                                                               \
    COLUMN(surface_sort)                                                                           \
    COLUMN(narrow_flags)
#define PH_PROXY_LISTS(COLUMN)                                                                     \
    COLUMN(proxies.moving)                                                                         \
    COLUMN(proxies.enlarged)                                                                       \
    COLUMN(free_ranges)                                                                            \
    COLUMN(zombies)
#define PH_PROXY_COLUMNS(COLUMN) PH_PROXY_ROWS(COLUMN) PH_PROXY_LISTS(COLUMN)

// By collider: collider_capacity.
#define PH_COLLIDER_COLUMNS(COLUMN) COLUMN(collider)

// Of those three, columns that have to be zeros where a body or a proxy takes a place. Rows of the
// others are written whole then: what was there before does not matter, as it does not where one
// takes the place of another that was removed.
#define PH_CLEARED_SLOT_COLUMNS(COLUMN)                                                            \
    COLUMN(role)                                                                                   \
    COLUMN(moved)                                                                                  \
    COLUMN(last_awake)                                                                             \
    COLUMN(tree_stale)                                                                             \
    COLUMN(off_center)                                                                             \
    COLUMN(continuous.listed)                                                                      \
    COLUMN(continuous.lost)                                                                        \
    COLUMN(continuous.several)
#define PH_CLEARED_PROXY_COLUMNS(COLUMN)                                                           \
    COLUMN(proxies.left)                                                                           \
    COLUMN(proxies.flags)                                                                          \
    COLUMN(proxy_piece)                                                                            \
    COLUMN(narrow_flags)

// By pair: pair_capacity.
#define PH_PAIR_COLUMNS(COLUMN)                                                                    \
    COLUMN(next_active)                                                                            \
    COLUMN(contacts.manifold)                                                                      \
    COLUMN(approach)                                                                               \
    COLUMN(later)

// By contact: contacts.capacity.
#define PH_CONTACT_COLUMNS(COLUMN)                                                                 \
    COLUMN(contacts.pair)                                                                          \
    COLUMN(contacts.body_a)                                                                        \
    COLUMN(contacts.body_b)

// Each with a capacity of its own.
#define PH_OWN_ARRAYS(ARRAY)                                                                       \
    ARRAY(continuous.fixed.node, continuous.fixed.capacity)                                        \
    ARRAY(continuous.distance_grid.away, continuous.distance_grid.away_capacity)                   \
    ARRAY(continuous.distance_grid.span, continuous.distance_grid.span_capacity)                   \
    ARRAY(continuous.driven.node, continuous.driven.capacity)                                      \
    ARRAY(continuous.fast_bodies.node, continuous.fast_bodies.capacity)                            \
    ARRAY(continuous.item, continuous.item_capacity)                                               \
    ARRAY(continuous.fast_body, continuous.fast_body_capacity)                                     \
    ARRAY(continuous.halt, continuous.halt_capacity)                                               \
    ARRAY(continuous.unpredicted, continuous.unpredicted_capacity)                                 \
    ARRAY(continuous.unpredicted_boxes.node, continuous.unpredicted_boxes.capacity)                \
    ARRAY(contact_ids.row, contact_ids.row_capacity)                                               \
    ARRAY(contact_ids.place, contact_ids.place_capacity)                                           \
    ARRAY(material_pairs, material_pair_capacity)                                                  \
    ARRAY(predicted_contact, predicted_capacity)                                                   \
    ARRAY(verdicts.slot, verdicts.capacity)                                                        \
    ARRAY(lane_ring, ring_capacity)                                                                \
    ARRAY(floors.run, floors.run_capacity)                                                         \
    ARRAY(floors.member, floors.member_capacity)                                                   \
    ARRAY(floors.group, floors.group_capacity)                                                     \
    ARRAY(escapes.row, escapes.capacity)                                                           \
    ARRAY(escapes.several, escapes.several_capacity)                                               \
    ARRAY(flush.run, flush.run_capacity)                                                           \
    ARRAY(flush.merged, flush.merged_capacity)                                                     \
    ARRAY(flush.member, flush.member_capacity)                                                     \
    ARRAY(joints.joint, joints.capacity)                                                           \
    ARRAY(joints.result, joints.result_capacity)                                                   \
    ARRAY(joints.effective_inertia, joints.effective_inertia_capacity)                             \
    ARRAY(joints.apart, joints.apart_capacity)

#define PH_EVENT_LISTS(LIST)                                                                       \
    LIST(begin, PhTouchEvent)                                                                      \
    LIST(end, PhTouchEvent)                                                                        \
    LIST(lost, PhTouchEvent)                                                                       \
    LIST(hit, PhHitEvent)                                                                          \
    LIST(sleep, PhBodyEvent)                                                                       \
    LIST(wake, PhBodyEvent)                                                                        \
    LIST(joint_break, PhJointEvent)                                                                \
    LIST(sensor_begin, PhContactEvent)                                                             \
    LIST(sensor_end, PhContactEvent)

// One of a table that grows, in a function that has `world`.
#define PH_COLUMN(array) {&world->array, sizeof *world->array},

#define PH_COUNT_ARRAY(...) +1
enum {
    PH_EVENT_ARRAYS = PH_EVENT_LISTS(PH_COUNT_ARRAY),
    PH_SLOT_ARRAYS = PH_SLOT_COLUMNS(PH_COUNT_ARRAY),
    PH_PROXY_ARRAYS = PH_PROXY_COLUMNS(PH_COUNT_ARRAY),
    PH_COLLIDER_ARRAYS = PH_COLLIDER_COLUMNS(PH_COUNT_ARRAY),
    PH_TABLE_ARRAYS = PH_SLOT_ARRAYS + PH_PROXY_ARRAYS + PH_COLLIDER_ARRAYS,
    PH_OTHER_ARRAYS = PH_PAIR_COLUMNS(PH_COUNT_ARRAY) PH_CONTACT_COLUMNS(PH_COUNT_ARRAY)
        PH_OWN_ARRAYS(PH_COUNT_ARRAY),
    PH_WORLD_ARRAYS = PH_TABLE_ARRAYS + PH_OTHER_ARRAYS + PH_EVENT_ARRAYS
};
#endif
