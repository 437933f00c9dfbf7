# SPDX-License-Identifier: MIT
"""Mistakes that students make in lab 8."""

FILE = "lab_sched.c"

WRONG = [
    dict(name="slice_in_us", file=FILE, criterion="time slices",
         replace=[("chan->timeslice_ns = args->timeslice_us * NSEC_PER_USEC;",
                   "chan->timeslice_ns = args->timeslice_us;")],
         says=r"timeslice_us=60 got slices of 60 ns", keeps=["commands", "given back"]),
    dict(name="descending", file=FILE, criterion="commands",
         replace=[("for (p = chan->priority + 1; p < LAB_COPY_PRIORITIES; p++)",
                   "for (p = LAB_COPY_PRIORITIES - 1; p > chan->priority; p--)")],
         says=r"ascending order", keeps=["time slices", "given back", "arguments"]),
    dict(name="inc_before_gates", file=FILE, criterion="commands",
         replace=[("\tfor (p = chan->priority + 1;",
                   "\tif (chan->priority)\n"
                   "\t\tw = lab_cmd_count(w, PPU_CMD_SEM_INC,\n"
                   "\t\t\t\t  lab_chan_va(chan, lab_counter(chan, chan->priority)));\n"
                   "\tfor (p = chan->priority + 1;"),
                  ("\tif (chan->priority)\n\t\tw = lab_cmd_count(w, PPU_CMD_SEM_INC,\n"
                   "\t\t\t\t  lab_chan_va(chan, lab_counter(chan, chan->priority)));\n\treturn w;",
                   "\treturn w;")],
         says=r"counted before it has waited", keeps=["time slices"]),
    dict(name="no_gate", file=FILE, criterion="gates",
         replace=[("PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ) | PPU_CMDF_SEM_GATE", "PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ)")],
         says=r"PPU_CMDF_SEM_GATE", keeps=["commands", "given back"]),
    dict(name="own_priority_waits", file=FILE, criterion="commands",
         replace=[("for (p = chan->priority + 1;", "for (p = chan->priority ?: 1;")],
         says=r"in which it is counted itself"),
    dict(name="no_dec", file=FILE, criterion="worked example",
         replace=[("\tif (chan->priority)\n\t\tw = lab_cmd_count(w, PPU_CMD_SEM_DEC,",
                   "\tif (chan->priority && !chan->ldev)\n\t\tw = lab_cmd_count(w, PPU_CMD_SEM_DEC,")],
         says=r"did not come to its end|goes 0, 1, 0, 1, 0", keeps=["time slices"]),
    dict(name="not_given_back", file=FILE, criterion="given back",
         replace=[("\t\tlab_counter_dec(chan);", "\t\t;")],
         says=r"lab_sched_stop\(\) has to give back", keeps=["time slices", "worked example", "commands"]),
    dict(name="always_given_back", file=FILE, criterion="given back",
         replace=[("PPU_REG_CH_GETABS_LO)) % LAB_PARTS_COUNTED)", "PPU_REG_CH_GETABS_LO)) + 1)")],
         says=r"give back only what is counted", keeps=["time slices", "worked example", "commands"]),
    dict(name="never_recovers", file=FILE, criterion="hangs",
         replace=[("\t\tlab_sched_recover(chan);\n", "\t\t;\n")],
         says=r"nothing happened", keeps=[]),
    dict(name="wrong_order", file=FILE, criterion="hangs",
         replace=[("\tlab_fence_fail(chan, -ETIMEDOUT);\n\tlab_chan_fail(chan, -EIO);\n",
                   "\tlab_chan_fail(chan, -EIO);\n\tlab_fence_fail(chan, -ETIMEDOUT);\n")],
         says=r"not -ETIMEDOUT"),
    dict(name="blames_waiters", file=FILE, criterion="innocents",
         replace=[(" && lab_sched_blocked_va(chan) < LAB_VA_KERNEL", "")],
         says=r"taken for a hang"),
    dict(name="no_patience", file=FILE, criterion="innocents",
         replace=[("stuck && chan->stuck && chan->stuck_at == done", "stuck && chan->stuck")],
         says=r"CH_RUNTIME_LO", keeps=["hangs"]),
    dict(name="any_priority", file=FILE, criterion="arguments",
         replace=[("args->priority >= LAB_COPY_PRIORITIES ||", "args->priority > LAB_COPY_PRIORITIES ||")],
         says=r"a priority there is not", keeps=["worked example", "commands"]),
]
