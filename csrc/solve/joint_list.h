// The kinds of joints, by the numbers of world.joint_state: the one list of them. From it come the
// enum, the table, the equations, the types of handles, the methods of World and JOINT_KINDS.
//
// A new kind is a row at the end, its file below, an entry in the stub and a file of tests. The
// file, joint_NAME_source.h, has two parts:
//   with PH_JOINT_EQUATIONS   its rows in lanes, rows_of_NAME (articulation_source.h), compiled for
//                             each width;
//   else                      the rest (joint_kinds.c): what it can be told, how that is checked
//                             and worked out, what is read of it, how it is drawn, and what users
//                             read about it: `NAME_info` and ph_joint_NAME_doc.
// Without PH_JOINT_FILES this is the list alone.

// X(constant, name, type)
#ifndef PH_JOINT_KINDS
#define PH_JOINT_KINDS(X)                                                                          \
    X(REVOLUTE, revolute, Revolute)                                                                \
    X(DISTANCE, distance, Distance)                                                                \
    X(PRISMATIC, prismatic, Prismatic)                                                             \
    X(WELD, weld, Weld)                                                                            \
    X(WHEEL, wheel, Wheel)                                                                         \
    X(MOTOR, motor, Motor)                                                                         \
    X(MOUSE, mouse, Mouse)                                                                         \
    X(FILTER, filter, Filter)                                                                      \
    X(PULLEY, pulley, Pulley)                                                                      \
    X(RATCHET, ratchet, Ratchet)                                                                   \
    X(GEAR, gear, Gear)                                                                            \
    X(ROTARY, rotary, Rotary)
#endif

#ifdef PH_JOINT_FILES
#include "solve/joint_distance_source.h"
#include "solve/joint_filter_source.h"
#include "solve/joint_gear_source.h"
#include "solve/joint_motor_source.h"
#include "solve/joint_mouse_source.h"
#include "solve/joint_prismatic_source.h"
#include "solve/joint_pulley_source.h"
#include "solve/joint_ratchet_source.h"
#include "solve/joint_revolute_source.h"
#include "solve/joint_rotary_source.h"
#include "solve/joint_weld_source.h"
#include "solve/joint_wheel_source.h"
#endif
