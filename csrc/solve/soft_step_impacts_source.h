// Impacts in a batch. A part of soft_step.c.

// Finds the batches in which a contact comes fast. What joints hold is not stopped with its bare
// mass alone: there the joints act in each pass, or articulated_islands.c knows them.
// What touches already, and does not bounce, has had its impact, where others may press it: in an
// island of many contacts it is what the last step could not bring to rest. In one of FEW_TOUCHING
// it has been set in motion since, as what lies on a lift that starts.
enum { FEW_TOUCHING = 16 };

static void find_impacts(const PhLayout *layout, const PhContacts *contacts,
                         const PhPairList *pairs, const PhStepParameters *parameters) {
    PhIslandBatch *batches = layout->arrays->batches;
    for (uint32_t b = 0; b < layout->batch_count; b++) {
        batches[b].impacts = false;
    }
    for (uint32_t i = 0; contacts->approach && i < layout->arrays->at_joints_count; i++) {
        uint32_t c = layout->arrays->at_joints[i], a = contacts->body_a[c], b = contacts->body_b[c];
        if (layout->arrays->slots[a].jointed ||
            (layout->island[b] != PH_NULL && layout->arrays->slots[b].jointed)) {
            float *later = &contacts->later[contacts->pair[c]];
            *later = ph_not_due(*later); // and nothing is passed on to it
        }
    }
    for (uint32_t c = 0; contacts->approach && c < contacts->count; c++) {
        uint32_t k = contacts->pair[c];
        if (!(contacts->approach[k] > parameters->lengths->lane.fast_impact[0])) {
            continue;
        }
        bool touches = pairs->flags[k] & PH_PAIR_TOUCHING;
        bool bounces = contacts->manifold[k].restitution > 0;
        PhIslandBatch *batch = &batches[ph_batch_of(layout, contacts->body_a[c])];
        uint32_t root = layout->island[contacts->body_a[c]];
        bool small = layout->arrays->islands[root].contact_count <= FEW_TOUCHING;
        bool had = touches && !bounces && !batch->free && !small;
        if (had) {
            contacts->later[k] = ph_not_due(contacts->later[k]);
        }
        batch->impacts |= contacts->later[k] >= 0 && !batch->articulated;
    }
}

// Sweeps over impacts in one substep: in a row of touching balls, each sweep carries an impact by
// one ball or more. The first sweep examines all contacts, the next ones only the contacts of
// bodies that impacts have moved, as long as there are any; some islands get more sweeps than
// others (island_batches.c). Points that still approach after the last sweep are stopped as if
// without restitution.
//
// A giant island in which a good part of all contacts have an impact in one sweep is stirred all
// over, and gets no further sweep. Contacts are counted, because their number is the same at every
// width, and only in an island that is giant by itself: small islands that share a batch must not
// decide for each other.
enum { IMPACT_SWEEPS = 16, STIRRED_PART = 16 };
// Examining marked contacts, one by one, costs about this many times as much as examining all.
enum { MANY_LOOKS = 2, FEW_CONTACTS = 4 }; // contacts of the bodies of an impact
// Sweeps in which impacts of one moment are given at once; those that follow go on in turn, because
// little is left to share by then. Rounds at most in which impacts that share bodies are made to
// agree.
enum { AT_ONCE_SWEEPS = 16, JOINT_ROUNDS = 256 };

// One pass over the marked wide contacts. Impacts mark others, for the rest of this pass or for the
// next one. met: is increased by the number of contacts with an impact.
static void run_marked(const Solve *solve, const PhIslandBatch *batch, PhPassKind kind,
                       uint32_t *met) {
    struct PhLayoutArrays *arrays = solve->layout->arrays;
    bool looks = kind == PH_IMPACT;
    uint32_t marked = 0;
    for (uint32_t i = 0; i < batch->color_count; i++) {
        const PhColor *color = color_in_turn(solve, batch, i);
        PhWideContacts *wide = &arrays->wide_contacts[ph_color_overflows(color->number)];
        uint8_t *marks = looks ? wide->waits : wide->moved;
        for (uint32_t k = color->first_wide; (k = ph_impacts_next(marks, color, k)) != PH_NULL;
             k++) {
            Part part = part_of(solve->layout, color, k);
            part.kernels->pass[kind][color->fixed](&solve->pass, part.wide_contacts, 1);
            if (looks) {
                *met += ph_impacts_spread(solve->layout, batch, color, k, k + 1, &marked);
            }
        }
    }
}

static uint32_t count_met(const uint8_t *met, uint32_t count) {
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t bits = met[i]; bits; bits &= bits - 1) {
            lanes++;
        }
    }
    return lanes;
}

// A sweep over all contacts. Returns how many had an impact.
static uint32_t look_at_all(const Solve *solve, const PhIslandBatch *batch) {
    uint32_t count = 0;
    Run run = {.solve = solve, .kind = PH_IMPACT};
    for (uint32_t i = 0; i < batch->color_count; i++) {
        run.color = color_in_turn(solve, batch, i);
        bool by_use = solve->pass.seldom && !solve->pass.again; // impacts are passed on to others
        run_wide_contacts(&run, by_use ? pass_by_use : pass_wide_contacts);
        if (atomic_exchange(solve->pass.met, false)) {
            Part part = part_of(solve->layout, run.color, run.first);
            count += count_met(part.wide_contacts.met, run.last - run.first);
        }
    }
    return count;
}

// Marks contacts by the results of the last sweep over all, or by a list. Returns false as soon as
// that takes more than `most` marks, with some missing.
static bool spread_all(const Solve *solve, const PhIslandBatch *batch, bool *listed,
                       const PhMetList *list, uint32_t most) {
    PhLayout *layout = solve->layout;
    uint32_t marked = 0;
    if (!*listed) {
        ph_impacts_begin(layout, batch);
        *listed = true;
    }
    for (uint32_t n = 0; list && n < list->count[0] + list->count[1] && marked <= most; n++) {
        const PhMet *met =
            n < list->count[0] ? &list->met[0][n] : &list->met[1][n - list->count[0]];
        (void)ph_impacts_spread(layout, batch, &layout->arrays->colors[met->color], met->contact,
                                met->contact + 1, &marked);
    }
    for (uint32_t i = 0; !list && i < batch->color_count; i++) {
        const PhColor *color = &layout->arrays->colors[batch->first_color + i];
        const PhWideContacts *wide =
            &layout->arrays->wide_contacts[ph_color_overflows(color->number)];
        uint32_t last = color->first_wide + color->wide_count;
        for (uint32_t k = color->first_wide; k < last && marked <= most; k++) {
            if (wide->parts.met[k]) {
                (void)ph_impacts_spread(layout, batch, color, k, k + 1, &marked);
            }
        }
    }
    return marked <= most;
}

static uint32_t wide_contacts_of(const Solve *solve, const PhIslandBatch *batch) {
    const PhColor *colors = solve->layout->arrays->colors + batch->first_color;
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->color_count; i++) {
        count += colors[i].wide_count;
    }
    return count;
}

// In a giant island a good part of all contacts may be in motion.
static bool is_stirrable(const PhIslandBatch *batch) {
    return batch->island_count == 1 && ph_batch_is_giant(batch->contact_count);
}

// A step that is divided into more substeps gets no more of the additional ones.
static int32_t most_sweeps(const Solve *solve, const PhIslandBatch *batch) {
    int32_t sweeps = (IMPACT_SWEEPS << 2 * batch->impact_class) / solve->stride;
    return sweeps > IMPACT_SWEEPS ? sweeps : IMPACT_SWEEPS;
}

// One pass over the wide contacts that have met in this sweep.
static void run_met(const Solve *solve, const PhMetList *list, PhPassKind kind) {
    const struct PhLayoutArrays *arrays = solve->layout->arrays;
    for (uint32_t set = 0; set < 2; set++) {
        for (uint32_t n = 0; n < list->count[set]; n++) {
            const PhMet *met = &list->met[set][n];
            const PhColor *color = &arrays->colors[met->color];
            bool left_out = kind == PH_GIVE_IMPACT
                                ? !arrays->wide_contacts[set].parts.acts[met->contact]
                                : color->fixed; // has no arms that go on
            if (!left_out) {
                Part part = part_of(solve->layout, color, met->contact);
                part.kernels->pass[kind][color->fixed](&solve->pass, part.wide_contacts, 1);
            }
        }
    }
}

// Examines all contacts, or the marked ones, and lists those that have met.
static void find_all(const Solve *solve, const PhIslandBatch *batch, bool marked, PhMetList *list) {
    Run run = {.solve = solve, .kind = PH_FIND_IMPACT};
    *list = ph_impacts_no_met(solve->layout, batch);
    for (uint32_t i = 0; i < batch->color_count; i++) {
        const PhColor *color = run.color = color_in_turn(solve, batch, i);
        PhWideContacts *wide =
            &solve->layout->arrays->wide_contacts[ph_color_overflows(color->number)];
        if (!marked) {
            bool by_use = solve->pass.seldom && !solve->pass.again; // impacts are passed on
            memset(wide->parts.met + color->first_wide, 0, color->wide_count);
            run_wide_contacts(&run, by_use ? pass_by_use : pass_wide_contacts);
            if (atomic_exchange(solve->pass.met, false)) {
                ph_impacts_add_met(solve->layout, color, run.first, run.last, list);
            }
            continue;
        }
        for (uint32_t k = color->first_wide;
             (k = ph_impacts_next(wide->waits, color, k)) != PH_NULL; k++) {
            Part part = part_of(solve->layout, color, k);
            part.kernels->pass[PH_FIND_IMPACT][color->fixed](&solve->pass, part.wide_contacts, 1);
            ph_impacts_add_met(solve->layout, color, k, k + 1, list);
        }
    }
}

// In one sweep, the first impacts of each body, and what is as early as these happens at once. So
// hits from both sides move a body straight on, later ones find it where it then is, and a row of
// touching balls still passes an impact on ball by ball. Returns how many contacts have met.
static uint32_t meet_at_once(const Solve *solve, const PhIslandBatch *batch, bool marked,
                             PhMetList *list) {
    find_all(solve, batch, marked, list);
    if (!list->lanes) {
        return 0;
    }
    ph_impacts_order(solve->layout, batch, list);
    run_met(solve, list, PH_GIVE_IMPACT);
    bool goes_on = ph_impacts_join(solve->layout, batch, list);
    for (int round = 1; goes_on && round < JOINT_ROUNDS; round++) {
        atomic_store(solve->pass.met, false);
        run_met(solve, list, PH_GIVE_IMPACT);
        goes_on = atomic_load(solve->pass.met);
    }
    atomic_store(solve->pass.met, false);
    if (solve->pass.free) {
        run_met(solve, list, PH_LEAVE_IMPACT);
    }
    return list->lanes;
}

// Returns whether the island is stirred all over. Any sweep may examine all contacts: if no impact
// has moved a body of a contact, examining it again does nothing. Marks are worth while where they
// are few.
static bool run_impacts(const Solve *solve, const PhIslandBatch *batch, bool *listed) {
    atomic_bool met = false;
    Solve own = *solve;
    own.pass.met = &met;
    bool at_once = batch->impacts_at_once;
    PhMetList met_now, *list = at_once ? &met_now : NULL; // those of the last sweep
    uint32_t count = at_once ? meet_at_once(&own, batch, false, list) : look_at_all(&own, batch);
    uint32_t few = wide_contacts_of(solve, batch) / MANY_LOOKS;
    uint32_t most = is_stirrable(batch) ? batch->contact_count / STIRRED_PART : UINT32_MAX;
    bool marks = false, all = false;
    if (!count) {
        return false;
    }
    own.pass.again = true;
    const int32_t sweeps = most_sweeps(solve, batch);
    for (int32_t sweep = 1; count && count <= most && sweep < sweeps; sweep++) {
        if (!marks) {
            marks = count <= few / FEW_CONTACTS && spread_all(&own, batch, listed, list, few);
        } else if (list) {
            (void)spread_all(&own, batch, listed, list, UINT32_MAX);
        }
        at_once = at_once && sweep < AT_ONCE_SWEEPS;
        list = at_once ? &met_now : NULL;
        if (at_once) {
            count = meet_at_once(&own, batch, marks, list);
        } else if (marks) {
            count = 0;
            run_marked(&own, batch, PH_IMPACT, &count);
        } else {
            count = look_at_all(&own, batch);
        }
        all |= !marks;
    }
    own.pass.stirred = count > most;
    if (marks && !all) {
        run_marked(&own, batch, PH_LOOK_AGAIN, NULL);
    } else {
        run_colors(&own, batch, PH_LOOK_AGAIN);
    }
    return own.pass.stirred;
}
