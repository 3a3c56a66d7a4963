// What trees of revolute joints in lanes begin a step with and what they leave at its end: part of
// kernels_source.h, after joint_lanes_source.h.
//
// The operations are those of load_link and store_link (joint_lanes.c), in float64, on four lanes
// at once. In a chain the frame of a parent is that of the body before.
#if PH_LANES < 4

#define PH_TREE_LOAD NULL
#define PH_TREE_STORE NULL

#else

#define PH_TREE_LOAD tree_load
#define PH_TREE_STORE tree_store

// 1 becomes the sign bit.
PH_FOUR_INLINE FourMask four_sign(const uint32_t *turned) {
    FourInt one;
    memcpy(&one, turned, sizeof one);
    return __builtin_convertvector(one, FourMask) << 63;
}

// Frames of four bodies: rotation, origin from the centre of mass, and that.
typedef struct Frames {
    Four c, s, x, y, center_x, center_y;
} Frames;

// some: not all of them need be bodies, some may be the world.
PH_INLINE Frames frames_of(const PhTreeWorld *world, const uint32_t slot[4], bool some) {
    static const double nowhere[4];
    const double *place[4], *turn[4], *center[4];
    Four x, y;
    Frames f;
    for (int l = 0; l < 4; l++) {
        const PhTransform *at = &world->transform[slot[l]];
        bool is = !some || slot[l] != PH_NULL;
        place[l] = is ? &at->p.x : nowhere;
        turn[l] = is ? &at->q.c : nowhere;
        center[l] = is ? world->center[slot[l]] : nowhere;
    }
    four_split(place, &x, &y);
    four_split(turn, &f.c, &f.s);
    four_split(center, &f.center_x, &f.center_y);
    f.x = x - f.center_x;
    f.y = y - f.center_y;
    return f;
}

// Where anchors are: their arms, and from where these are. Those in the world are where they are.
PH_INLINE void reach(const Frames *f, Four x, Four y, Four out[4]) {
    out[0] = f->x + (f->c * x - f->s * y);
    out[1] = f->y + (f->s * x + f->c * y);
    out[2] = f->center_x;
    out[3] = f->center_y;
}
PH_INLINE void stay_in_world(const uint32_t slot[4], Four x, Four y, Four out[4]) {
    FourMask is = {0};
    for (int l = 0; l < 4; l++) {
        is[l] = slot[l] != PH_NULL ? 0 : -1;
    }
    out[0] = four_select(is, four_splat(0), out[0]);
    out[1] = four_select(is, four_splat(0), out[1]);
    out[2] = four_select(is, x, out[2]);
    out[3] = four_select(is, y, out[3]);
}

PH_INLINE void wrap_gaps(const PhWrap *wrap, Four *x, Four *y) {
    for (int l = 0; l < 4; l++) {
        PhVec2 gap = ph_wrap_least(wrap, ph_vec((*x)[l], (*y)[l]));
        (*x)[l] = gap.x;
        (*y)[l] = gap.y;
    }
}

PH_INLINE void put_four(Lanes *field, uint32_t first, Four x) {
    FourFloat lanes = four_narrow(x);
    memcpy((float *)field + first, &lanes, sizeof lanes);
}

// Arms, gap and, in r[] for a moment, the impulse of the last substep.
PH_INLINE void load_links(const PhTreeWorld *world, const PhTreePack *pack,
                          PhTreeJoints tree_joints, const Frames *own, const Frames *before,
                          TreeBody *c) {
    const uint32_t lanes = PH_LANES;
    for (uint32_t l = 0; l < lanes; l += 4) {
        const double *anchor = tree_joints.anchor + l;
        Four cx = four_load(anchor), cy = four_load(anchor + lanes), child[4], parent[4];
        Four px = four_load(anchor + 2 * lanes), py = four_load(anchor + 3 * lanes);
        reach(&own[l / 4], cx, cy, child);
        if (before) {
            reach(&before[l / 4], px, py, parent);
        } else {
            Frames other = frames_of(world, tree_joints.parent + l, true);
            reach(&other, px, py, parent);
            stay_in_world(tree_joints.parent + l, px, py, parent);
        }
        Four x = (child[2] - parent[2]) + (child[0] - parent[0]);
        Four y = (child[3] - parent[3]) + (child[1] - parent[1]);
        if (ph_wraps(&world->wrap)) {
            wrap_gaps(&world->wrap, &x, &y);
        }
        const float *last[4];
        FourFloat load[2];
        for (int k = 0; k < 4; k++) {
            last[k] = world->result[tree_joints.joint[l + (uint32_t)k]].load;
        }
        four_float_split(last, &load[0], &load[1]);
        Four unit =
            (Four)((FourMask)four_load(pack->scale + l) ^ four_sign(tree_joints.turned + l));
        unit *= world->h;
        put_four(&c->arm_c[0], l, child[0]);
        put_four(&c->arm_c[1], l, child[1]);
        put_four(&c->arm_p[0], l, parent[0]);
        put_four(&c->arm_p[1], l, parent[1]);
        put_four(&c->gap[0], l, x);
        put_four(&c->gap[1], l, y);
        put_four(&c->r[0], l, unit * four_double(load[0]));
        put_four(&c->r[1], l, unit * four_double(load[1]));
    }
}

static void tree_load(const PhTreeWorld *world, const PhTreePack *pack) {
    TreeBody *bodies = (TreeBody *)(void *)pack->data;
    const Lanes zero = lanes_splat(0);
    Frames frames[2][PH_LANES / 4];
    for (uint32_t i = 0; i < pack->body_count; i++) {
        PhTreeJoints tree_joints = ph_tree_joints(pack->tree_joints, i, PH_LANES);
        TreeBody *c = &bodies[i];
        Frames *own = frames[i & 1], *before = frames[~i & 1];
        if (pack->flags[i] & PH_TREE_FIXED || pack->parent[i] == PH_NULL) {
            memset(c, 0, sizeof *c); // the memory is no one's, and not all of it is written
        }
        c->note = zero;
        memcpy(&c->mass, pack->mass + 2 * i * PH_LANES, sizeof c->mass);
        memcpy(&c->own, pack->mass + (2 * i + 1) * PH_LANES, sizeof c->own);
        if (pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        for (uint32_t l = 0; l < PH_LANES; l += 4) {
            own[l / 4] = frames_of(world, tree_joints.slot + l, false);
            Four inertia = four_gather(world->effective_inertia, tree_joints.slot + l);
            put_four(&c->inertia, l, four_load(pack->scale + l) * inertia);
        }
        c->inertia = lanes_max(c->inertia, c->own);
        if (pack->parent[i] == PH_NULL) {
            continue;
        }
        TreeBody *p = &bodies[pack->parent[i]];
        bool joined = i == pack->parent[i] + 1 && !(pack->flags[i - 1] & PH_TREE_FIXED);
        load_links(world, pack, tree_joints, own, joined ? before : NULL, c);
        c->force[0] = c->force[1] = zero;
        c->note = c->arm_c[0] * c->r[0] + c->arm_c[1] * c->r[1];
        p->note -= c->arm_p[0] * c->r[0] + c->arm_p[1] * c->r[1];
    }
}

// Loads of the last substep and means of the step, of four lanes.
PH_INLINE void store_links(const PhTreeWorld *world, const PhTreePack *pack, const uint32_t *joints,
                           const uint32_t *turned, const TreeBody *c, uint32_t l) {
    FourMask sign = four_sign(turned);
    Four scale = (Four)((FourMask)four_load(pack->scale + l) ^ sign);
    Four inv_h = 1 / (scale * world->h), inv_dt = 1 / (scale * world->dt);
    FourFloat x = four_narrow(inv_h * four_widen((const float *)&c->impulse[0] + l));
    FourFloat y = four_narrow(inv_h * four_widen((const float *)&c->impulse[1] + l));
    Four force_x = inv_dt * four_widen((const float *)&c->force[0] + l);
    Four force_y = inv_dt * four_widen((const float *)&c->force[1] + l);
    for (uint32_t k = 0; k < 4 && l + k < pack->count; k++) {
        PhJointResult *result = &world->result[joints[k]];
        result->load[0] = x[k];
        result->load[1] = y[k];
        result->load[2] = 0;
        result->force[0] = force_x[k];
        result->force[1] = force_y[k];
        result->torque = 0;
    }
}

static void tree_store(const PhTreeWorld *world, const PhTreePack *pack) {
    const TreeBody *bodies = (const TreeBody *)(const void *)pack->data;
    for (uint32_t i = 0; i < pack->body_count; i++) {
        PhTreeJoints tree_joints = ph_tree_joints(pack->tree_joints, i, PH_LANES);
        const TreeBody *c = &bodies[i];
        if (pack->flags[i] & PH_TREE_FIXED) {
            continue;
        }
        uint32_t more = lanes_bits(lanes_less(c->own, c->inertia));
        for (uint32_t l = 0; l < pack->count && pack->isolated; l++) { // else masses know
            world->effective_inertia[tree_joints.slot[l]] =
                more >> l & 1 ? (double)((const float *)&c->inertia)[l] / pack->scale[l] : 0;
        }
        for (uint32_t l = 0; l < PH_LANES && pack->parent[i] != PH_NULL; l += 4) {
            store_links(world, pack, tree_joints.joint + l, tree_joints.turned + l, c, l);
        }
    }
}

#endif
