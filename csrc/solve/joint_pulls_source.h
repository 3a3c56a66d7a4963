// What the impulses of joints pull at their bodies, and the inertia that a sudden pull asks for
// (geometric stiffness, joint_solve.c). Part of articulation_source.h.

// What a row's unit impulse pulls at the bodies along their arms, for geometric stiffness.
PH_FOUR_INLINE Wide pull_of(const Wide jacobian[3], const Wide arm[2]) {
    return jacobian[0] * arm[0] + jacobian[1] * arm[1];
}

// Of the impulses that all rows of a joint would have.
static void pulls_of(const ArticulationFactor *factor, const Fields *fields, Wide *a, Wide *b) {
    *a = *b = wide_splat(0);
    for (int k = 0; k < 3; k++) {
        if (!has(factor->used, k)) {
            continue;
        }
        Wide impulse = fields->impulse[k] + factor->sum[k];
        *a += impulse * pull_of(factor->rows[k].a, factor->arm_a);
        *b += impulse * pull_of(factor->rows[k].b, factor->arm_b);
    }
}

// Lanes in which a sudden pull would make a body swing faster than a substep follows. The sums of
// pulls stay in p[0], which is free after the sweeps.
static WideMask find_sudden(const Articulation *articulation) {
    const Wide h = wide_splat(articulation->run->h);
    WideMask sudden = wide_none();
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        articulation->bodies[i].p[0] = wide_splat(0);
    }
    for (uint32_t l = 0; l < articulation->count; l++) {
        Wide a, b;
        if (is_bare(articulation, l)) {
            continue;
        }
        const PhArticulationWork *work = work_of(articulation, l);
        pulls_of(&articulation->factors[l], fields_of(articulation, l), &a, &b);
        articulation->bodies[work->side[0]].p[0] += a;
        articulation->bodies[work->side[1]].p[0] += b;
    }
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        const ArticulationBody *body = &articulation->bodies[i];
        if (!body->fixed) {
            sudden |= h * body->p[0] > SUDDEN * body->inertia;
        }
    }
    return sudden;
}

// Raises the inertia of those bodies.
static void brace(const Articulation *articulation) {
    PhJointMass *masses = articulation->run->layout->arrays->joints.masses;
    const Wide h = wide_splat(articulation->run->h);
    for (uint32_t i = 0; i < articulation->pack->body_count; i++) {
        ArticulationBody *body = &articulation->bodies[i];
        if (body->fixed) {
            continue;
        }
        Wide wanted = h * body->p[0];
        WideMask more = wanted > SUDDEN * body->inertia;
        body->start[2] =
            wide_select(more, body->start[2] * (body->inertia / wanted), body->start[2]);
        body->inertia = wide_select(more, wanted, body->inertia);
        body->inv_inertia = wide_select(more, 1 / wanted, body->inv_inertia);
        uint32_t bits = wide_bits(more);
        for (uint32_t l = 0; l < PH_WIDE; l++) {
            if (!(bits >> l & 1)) {
                continue;
            }
            masses[body->solver_body[l]].inertia = wide_get(body->inertia, l);
            masses[body->solver_body[l]].inv_inertia = wide_get(body->inv_inertia, l);
        }
    }
}
