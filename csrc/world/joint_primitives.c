// A joint of a world as lines: what its kind draws, of the poses as they are.
#include "world/joint_primitives.h"

void ph_joint_primitives(const PhWorld *world, uint32_t index, double mark, PhJointPen pen,
                         void *context) {
    const PhJoint *joint = ph_joint_get(world, index);
    const PhJointKindInfo *info = ph_joint_info(joint);
    PhJointReading reading = ph_joint_read(world, index);
    PhJointDrawing drawing = {.joint = joint,
                              .anchor = {reading.anchor[0], reading.anchor[1]},
                              .position = reading.position,
                              .angle = ph_world_state(world)->angle[joint->body[1]],
                              .mark = mark,
                              .pen = pen,
                              .context = context};
    for (int side = 0; side < 2; ++side) {
        uint32_t slot = joint->body[side];
        drawing.pose[side] =
            slot != PH_NULL ? ph_body_transform(world, slot) : (PhTransform){{0, 0}, {1, 0}};
        if (info->geared) {
            drawing.part[side] = ph_joint_read(world, joint->geared[side]).anchor[1];
            drawing.part_kind[side] = (PhJointKind)ph_joint_get(world, joint->geared[side])->kind;
        }
    }
    if (!info->stemless) {
        ph_draw_stems(&drawing);
    }
    info->draw(&drawing);
}
