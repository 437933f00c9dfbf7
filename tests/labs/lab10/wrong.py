# SPDX-License-Identifier: MIT
"""Mistakes that students make in lab 10, and what the grader has to say about each."""

WRONG = [
    dict(name="back_push_forgets_bits", file="tokq.c",
         replace=[("		store(q, i, above | PPU_TOK_TRACK_YIELD);\n", "		store(q, i, above);\n")],
         criterion="tracking bits", says=r"after five front pushes and a yield the tracking bits of entry 128 are 0, "
                                         r"they should be 8",
         keeps=["queue order", "if and else"]),
    dict(name="recentre_one_direction", file="tokq.c",
         replace=[("	if (to < from)\n		for (i = 0; i < n; i++)", "	if (true)\n		for (i = 0; i < n; i++)")],
         criterion="recentring", says=r"recentring 200 tokens from entry 0 of 256 .* entry \d+ is \w+, it "
                                      r"should be token"),
    dict(name="recentre_ignores_need", file="tokq.c",
         replace=[("	if (side == PPU_TOKQ_FRONT && size - to - n < (int32_t)need)\n		to = size - n - (int32_t)need;\n",
                   "")],
         criterion="recentring", says=r"recentring 1 token from entry 16 of 33 for 31 more at the front head is 17 "
                                      r"and tail 15, they should be 2 and 0",
         keeps=["queue order", "loops"]),
    dict(name="merge_stops_at_first", file="tokq.c",
         replace=[("		if (PPU_TOK_ADDR(t) == addr) {\n			*token = t | (uint64_t)mask << 4;",
                   "		if (i > q->tail + 1)\n			break;\n"
                   "		if (PPU_TOK_ADDR(t) == addr) {\n			*token = t | (uint64_t)mask << 4;")],
         criterion="merging yields", says=r"Kernel merge_keeps_place: .*event \d+, at .* is \"yield yield 4",
         loses=["merge and find"], keeps=["yield", "if and else"]),
    dict(name="revives_ended_lanes", file="diverge.c",
         replace=[("				PPU_TOK_MASK(token) & w->live & ~w->active);",
                   "				PPU_TOK_MASK(token) & ~w->active) | (PPU_TOK_MASK(token) & ~w->live);")],
         criterion="exit", says=r"Kernel early_exit: the result of lane 0 is \d+, it should be 0\. First difference: event "
                                r"\d+, at .* is \"pop sync ff .* -> ff",
         keeps=["queue order", "if and else"]),
    dict(name="ignores_address", file="diverge.c",
         replace=[("	return ppu_warp_waiting(w, PPU_WAIT(PPU_TOK_TYPE(token), PPU_TOK_ADDR(token)),\n"
                   "				PPU_TOK_MASK(token) & w->live & ~w->active);",
                   "	uint32_t lanes = 0;\n\n	for (unsigned i = 0; i < PPU_LANES; i++)\n"
                   "		if (PPU_WAIT_REASON(w->wait[i]) == PPU_TOK_TYPE(token))\n			lanes |= 1u << i;\n"
                   "	return lanes & PPU_TOK_MASK(token) & w->live & ~w->active;")],
         criterion="fallback", says=r"Kernel two_waits: the result of lane 0 is 17, it should be 16",
         loses=["random programs"], keeps=["if and else"]),
    dict(name="wakes_the_whole_mask", file="diverge.c",
         replace=[("	w->pop = false;\n	w->active = lanes;",
                   "	w->pop = false;\n	lanes = PPU_TOK_MASK(token);\n	w->active = lanes;")],
         criterion="yield", says=r"Kernel yield_opts_out: the results are right, but event \d+, at .*, is \"pop sync ff 10/8 "
                                 r"-> ff .*it should be \"pop sync ff 10/8 -> f0",
         keeps=["if and else"]),
    dict(name="yield_at_itself", file="diverge.c",
         replace=[("	if (push_yield(sm, w, mask, w->pc + 1, sm->core->cfg.yield_merge) != PPU_GO)",
                   "	if (push_yield(sm, w, mask, w->pc, sm->core->cfg.yield_merge) != PPU_GO)"),
                  ("	return disable(sm, w, mask, PPU_REASON_YIELD, w->pc + 1);",
                   "	return disable(sm, w, mask, PPU_REASON_YIELD, w->pc);")],
         criterion="yield", says=r"Kernel yield_alone never ends", keeps=["loops"]),
    dict(name="yield_on_the_front", file="diverge.c",
         replace=[("	token = ppu_tokq_push_back(&w->q, lanes, addr);\n",
                   "	token = ppu_tokq_push_front(&w->q, PPU_REASON_YIELD, lanes, addr);\n")],
         criterion="forward progress", says=r"Kernel (spin_lock|lock_before_if|chain|producer_consumer) never ends: lanes \w+ are "
                                            r"left, .* tokens in the queue",
         loses=["yield"], keeps=["if and else", "loops"]),
    dict(name="fallback_pops_all", file="diverge.c",
         replace=[("		if (PPU_TOK_TYPE(token) == PPU_REASON_YIELD || associated(w, token))\n",
                   "		if (PPU_TOK_TYPE(token) == PPU_REASON_YIELD)\n")],
         criterion="fallback", says=r"Kernel fallback_live: .*TOKQ_CORRUPT.*First difference: event \d+.* is \"discard div f0",
         keeps=["loops", "if and else"]),
    dict(name="groups_in_order", file="diverge.c",
         replace=[("		for (i = n - 1; i; i--) {\n", "		for (i = 1; i < n; i++) {\n")],
         criterion="if and else", says=r"Kernel switch: the results are right, but event \d+, at .* is \"push div 22222222",
         keeps=["exit", "loops", "random programs"]),
    dict(name="trusts_tokens", file="diverge.c",
         replace=[("		if (!ppu_tokq_token_ok(token, w->lanes, w->prog->n))\n			return corrupt(sm, w, token);\n"
                   "		lanes = associated(w, token);\n", "		lanes = associated(w, token);\n")],
         criterion="faults", says=r"Kernel corrupt_reserved", keeps=["random programs", "if and else"]),
    dict(name="never_stops_looking", file="diverge.c",
         replace=[("		if (!ppu_tokq_pop(&w->q, &token)) {\n			if (w->live)",
                   "		if (!ppu_tokq_pop(&w->q, &token)) {\n			if (!w->live)\n				continue;\n			if (w->live)")],
         criterion="if and else", says=r"Kernel if_else: your unit is in an endless loop at `exit` \(pc 11\)"),
    dict(name="null_pointer", file="diverge.c",
         replace=[("	sm->ctr[PPU_CTR_YIELDS]++;\n", "	*(volatile int *)8 = 1;\n")],
         criterion="yield", says=r"Kernel yield_alone: your unit dies of SIGSEGV at `yield` \(pc 0\)",
         loses=["random programs"], keeps=["loops", "exit"]),
]
