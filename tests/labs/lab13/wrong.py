# SPDX-License-Identifier: MIT
"""Mistakes that students make in lab 13, and what the grader must say about each."""

WRONG = [
    dict(name="always_forward", file="engine.c",
         replace=[(".backward = copy->op == PPU_CMD_COPY && copy->dst > copy->src && copy->dst - copy->src < copy->width,",
                   ".backward = false,")],
         criterion="overlap", says=r"after a copy of \d+ bytes onto itself, moved by \d+, byte|after a copy of \d+ bytes onto "
                                   r"itself, moved by \d+ byte \d+ of the memory is", keeps=["copy", "fill", "rows", "time"]),
    dict(name="backward_chunks_forward", file="engine.c",
         replace=[("		uint64_t at = e->backward ? e->c.width - e->off - e->chunk_bytes : e->off;",
                   "		uint64_t at = e->off;")],
         criterion="overlap", says=r"after a copy of 10\d{5} bytes onto itself, moved by \d+ byte \d+",
         keeps=["copy", "fill", "rows", "time"]),
    dict(name="all_at_once", file="engine.c",
         replace=[("		e->chunk_bytes = e->c.width - e->off < CHUNK_BYTES ? e->c.width - e->off : CHUNK_BYTES;",
                   "		e->chunk_bytes = e->c.width - e->off;")],
         criterion="time", says=r"0 bytes of a copy of 3 MiB are there when 1 MiB can have arrived",
         loses=["stop"], keeps=["copy", "overlap", "fill"]),
    dict(name="times_add_up", file="engine.c",
         replace=[("	dev_at((unsigned)(e - engines), e->start + dev_setup_ns() +\n"
                   "	       (uint64_t)((unsigned __int128)e->charged * 1000 / dev_mbps()));",
                   "	dev_at((unsigned)(e - engines), dev_now() + (dev_now() == e->start ? dev_setup_ns() : 0) +\n"
                   "	       (e->chunk_bytes + e->chunk_rows * cost) * 1000 / dev_mbps());")],
         criterion="time", says=r"a copy of 7 MiB less one byte at 3000 MB/s takes \d+ ns, it should be \d+",
         keeps=["copy", "overlap", "engines", "stop"]),
    dict(name="short_rows_are_cheap", file="engine.c",
         replace=[("#define MIN_ROW_COST	32", "#define MIN_ROW_COST	1")],
         criterion="time", says=r"a COPY_2D of 1000 rows of 4 bytes takes \d+ ns, it should be 37020",
         keeps=["copy", "rows"]),
    dict(name="one_copy_for_all", file="engine.c",
         replace=[("	plan(&engines[engine]);\n}", "	for (unsigned i = 0; i < ENGINES; i++)\n"
                   "		engines[i].c.dst = copy->dst;\n	plan(&engines[engine]);\n}")],
         criterion="engines", says=r"Test engines: ", keeps=["copy", "overlap", "fill", "rows", "time"]),
    dict(name="fault_at_the_piece", file="engine.c",
         replace=[("		dev_fault(i, dst + put, true);", "		dev_fault(i, dst, true);")],
         criterion="faults", says=r"dev_fault\(\) says a write of [0-9a-f]+; what failed is a write of [0-9a-f]+",
         keeps=["copy", "stop"]),
    dict(name="nothing_before_the_fault", file="engine.c",
         replace=[("	put = dev_write(i, dst, buf, got);", "	put = got < n ? got : dev_write(i, dst, buf, got);")],
         criterion="faults", says=r"after a copy from a page that is not there byte \d+ of the memory is",
         keeps=["copy", "stop", "random"]),
    dict(name="stays_busy_when_stopped", file="engine.c",
         replace=[("	engines[engine].busy = false;\n}", "}")],
         criterion="stop", says=r"engine_busy\(0\) says yes after engine_stop\(\)", loses=["faults"], keeps=["copy", "engines"]),
    dict(name="fill_by_bytes", file="engine.c",
         replace=[("(e->c.value >> 8 * ((at + k) % e->c.elem_bytes));", "e->c.value;")],
         criterion="fill", says=r"after a fill of \d+ elements of 2 bytes byte \d+ of the memory is", keeps=["copy", "overlap"]),
    dict(name="pitch_of_the_source", file="engine.c",
         replace=[("dst = e->c.dst + row * e->c.dst_pitch + at", "dst = e->c.dst + row * e->c.src_pitch + at")],
         criterion="rows", says=r"after a COPY_2D of \d+ rows of \d+ bytes byte \d+ of the memory is",
         keeps=["copy", "overlap", "fill"]),
    # Attacks.  The engines' process has no result to print, no judge to stop and nothing to read.
    dict(name="prints_results", file="engine.c",
         replace=[('#include "engine.h"\n', """#include "engine.h"
#include <sys/socket.h>
#include <unistd.h>
__attribute__((constructor)) static void result(void)
{
	static const char line[] = "end done\\n";

	for (int fd = 0; fd < 20; fd++) {
		send(fd, line, sizeof(line) - 1, 0);
		if (write(fd, line, sizeof(line) - 1) < 0)
			continue;
	}
	_exit(0);
}
""")],
         criterion="copy", says=r"the program with engine\.c ended before all was done",
         loses=["overlap", "fill", "rows", "time", "engines", "faults", "stop", "random"]),
    dict(name="attacks_the_judge", file="engine.c",
         replace=[('#include "engine.h"\n', """#include "engine.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>
static int harm(void)
{
	int done = 0;

	for (pid_t p = 1; p < 2000; p++)
		if (p != getpid())
			done += !kill(p, SIGKILL) || !ptrace(PTRACE_ATTACH, p, 0, 0);
	return done + (open("/proc/cmdline", O_RDONLY) >= 0) + (open("/lab/judge", O_RDONLY) >= 0) + (opendir("/proc") != NULL);
}
"""),
                  ("	memset(engines, 0, sizeof(engines));", "	memset(engines, 0, sizeof(engines));\n	if (harm())\n		_exit(9);"),
                  ("#define MIN_ROW_COST	32", "#define MIN_ROW_COST	1")],
         criterion="time", says=r"a COPY_2D of 1000 rows of 4 bytes takes \d+ ns, it should be 37020", keeps=["copy", "rows"]),
    dict(name="forges_messages", file="engine.c",
         replace=[('#include "engine.h"\n', """#include "engine.h"
#include <sys/socket.h>
#include "wire.h"
static struct wire_call_msg forged = { .magic = WIRE_MAGIC, .call = CALL_WRITE, .n = WIRE_DATA, .busy = ~0u };
"""),
                  ("	struct engine *e = &engines[engine];\n\n	if (!move_chunk(e))",
                   "	struct engine *e = &engines[engine];\n\n	forged.at = e->c.dst;\n"
                   "	send(0, &forged, offsetof(struct wire_call_msg, data), 0);\n	if (!move_chunk(e))")],
         criterion="copy", says=r"the program with engine\.c ended before all was done"),
    dict(name="is_done_at_once", file="engine.c",
         replace=[("	plan(&engines[engine]);\n}", "	engines[engine].busy = false;\n	dev_done(engine, copy->width * copy->rows);\n}")],
         criterion="copy", says=r"after a copy of 1 bytes from \d+ to \d+ byte \d+ of the memory is", loses=["fill", "rows", "time"]),
]
