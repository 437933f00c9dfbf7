/* SPDX-License-Identifier: MIT */
/*
 * The Debug Adapter Protocol: messages in JSON behind a header with their length.  Each request becomes commands for the debugger
 * in the program, and what these say becomes the response.  Threads of the protocol are warps: each shows one lane, which
 * "focus" in the console changes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front.h"
#include "link.h"
#include "debug/debug.h"

#define MOST_BYTES	(16u << 20)	/* of a message */

typedef struct json_object json;

enum scopes { SCOPE_THREAD = 1, SCOPE_PARAMETERS, SCOPE_SHARED, SCOPE_REGISTERS, SCOPE_LOCALS };

static struct link prog;
static bool started, running, gone, disconnected;
static int seq;
static const char ended[] = "the program has ended";
static char stopped[256];		/* what the debugger said of its stop */

/* ---- messages -------------------------------------------------------------------------------------------------- */

static void send_message(json *m)
{
	const char *text;

	json_object_object_add(m, "seq", json_object_new_int(++seq));
	text = json_object_to_json_string_ext(m, JSON_C_TO_STRING_PLAIN);
	printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
	fflush(stdout);
	json_object_put(m);
}

static void send_event(const char *name, json *body)
{
	json *m = json_object_new_object();

	json_object_object_add(m, "type", json_object_new_string("event"));
	json_object_object_add(m, "event", json_object_new_string(name));
	if (body)
		json_object_object_add(m, "body", body);
	send_message(m);
}

/* body NULL: none; why: it failed. */
static void respond(json *request, json *body, const char *why)
{
	json *m = json_object_new_object();

	json_object_object_add(m, "type", json_object_new_string("response"));
	json_object_object_add(m, "request_seq", json_object_get(json_object_object_get(request, "seq")));
	json_object_object_add(m, "command", json_object_get(json_object_object_get(request, "command")));
	json_object_object_add(m, "success", json_object_new_boolean(!why));
	if (why)
		json_object_object_add(m, "message", json_object_new_string(why));
	if (body)
		json_object_object_add(m, "body", body);
	send_message(m);
}

static void put_text(json *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static void put_number(json *o, const char *key, int64_t n)
{
	json_object_object_add(o, key, json_object_new_int64(n));
}

static void put_true(json *o, const char *key)
{
	json_object_object_add(o, key, json_object_new_boolean(true));
}

static const char *text_of(json *o, const char *key)
{
	json *v = json_object_object_get(o, key);

	return v && json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";
}

static int64_t number_of(json *o, const char *key)
{
	return json_object_get_int64(json_object_object_get(o, key));
}

static void output(const char *category, const char *text)
{
	json *body = json_object_new_object();

	put_text(body, "category", category);
	put_text(body, "output", text);
	send_event("output", body);
}

/* ---- the debugger in the program --------------------------------------------------------------------------------- */

static void has_ended(void)
{
	json *body = json_object_new_object();

	gone = true;
	running = false;
	put_number(body, "exitCode", link_end(&prog));
	send_event("exited", body);
	send_event("terminated", NULL);
}

static void tell_stopped(const char *description)
{
	json *body = json_object_new_object();
	char reason[32] = "pause";
	unsigned thread = 0;

	sscanf(stopped, "stopped\t%31[^\t]\t%u", reason, &thread);
	put_text(body, "reason", reason);
	put_text(body, "description", description);
	put_true(body, "allThreadsStopped");
	if (thread)
		put_number(body, "threadId", thread);
	send_event("stopped", body);
}

/* What the debugger says up to where it wants a command, or lets the device run; NULL: the program has ended.  The caller frees
 * it. */
static char *listen_to(void)
{
	char *text = strdup(""), *line, *more;

	running = false;
	while ((line = link_line(&prog)) && *line != '.') {
		if (!strcmp(line, DBG_RUNS)) {
			running = true;
			*stopped = 0;
			break;
		}
		if (*line == '*')
			snprintf(stopped, sizeof(stopped), "%s", line + 1);
		if (*line == '=' && text && asprintf(&more, "%s%s\n", text, line + 1) >= 0) {
			free(text);
			text = more;
		}
		free(line);
	}
	if (!line) {
		free(text);
		has_ended();
		return NULL;
	}
	free(line);
	return text;
}

/* NULL: there is no program, or it has ended. */
static char *ask(const char *command)
{
	if (!started || gone)
		return NULL;
	link_send(&prog, command);
	return listen_to();
}

__attribute__((format(printf, 1, 2)))
static char *askf(const char *fmt, ...)
{
	char *command, *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&command, fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	for (char *c = command; *c; c++)	/* one line is one command */
		if (*c == '\n')
			*c = ' ';
	text = ask(command);
	free(command);
	return text;
}

/* The device ran, and lines come: it has stopped, and all that the debugger says of that comes at once. */
static void take_stop(void)
{
	char *said = listen_to();

	if (said && !running)
		tell_stopped(said);
	free(said);
}

/* ---- requests ------------------------------------------------------------------------------------------------------ */

/* What the user can choose in an editor besides breakpoints. */
static json *filters(void)
{
	json *list = json_object_new_array(), *f = json_object_new_object();

	put_text(f, "filter", "checker");
	put_text(f, "label", "Findings of ppu-check");
	put_true(f, "default");
	json_object_array_add(list, f);
	return list;
}

static void do_initialize(json *request, json *args)
{
	static const char *const can[] = {
		"supportsConfigurationDoneRequest", "supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints",
		"supportsStepBack", "supportsEvaluateForHovers", "supportsReadMemoryRequest", "supportsFunctionBreakpoints",
		"supportsTerminateRequest", "supportsSteppingGranularity", "supportsSingleThreadExecutionRequests",
	};
	json *body = json_object_new_object();

	(void)args;
	for (size_t i = 0; i < sizeof(can) / sizeof(can[0]); i++)
		put_true(body, can[i]);
	json_object_object_add(body, "exceptionBreakpointFilters", filters());
	respond(request, body, NULL);
}

static char **program_of(json *args)
{
	json *more = json_object_object_get(args, "args");
	size_t n = more && json_object_is_type(more, json_type_array) ? json_object_array_length(more) : 0;
	char **program = calloc(n + 2, sizeof(*program));

	if (!program)
		return NULL;
	program[0] = strdup(text_of(args, "program"));
	for (size_t i = 0; i < n; i++)
		program[i + 1] = strdup(json_object_get_string(json_object_array_get_idx(more, i)) ?: "");
	return program;
}

static void set_environment(json *args)
{
	json *env = json_object_object_get(args, "env");

	if (!env || !json_object_is_type(env, json_type_object))
		return;
	json_object_object_foreach(env, key, value) {
		if (value)
			setenv(key, json_object_get_string(value), 1);
		else
			unsetenv(key);	/* as the protocol has it */
	}
}

static void take_output(void)
{
	char buf[4096];
	ssize_t n = read(prog.output, buf, sizeof(buf) - 1);

	if (n > 0) {
		buf[n] = 0;
		output("stdout", buf);
	} else if (n == 0 || errno != EINTR) {
		close(prog.output);
		prog.output = -1;
	}
}

/* The program comes to where it opens the device.  What it prints before must not fill the pipe. */
static bool comes_to_device(void)
{
	for (;;) {
		struct pollfd p[2] = { { .fd = prog.fd, .events = POLLIN }, { .fd = prog.output, .events = POLLIN } };
		char *line;
		bool ready;

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return false;
		if (p[1].revents)
			take_output();
		if (!p[0].revents)
			continue;
		do {
			line = link_line(&prog);
			ready = line && *line == '.';
			if (!line)
				return false;
			free(line);
		} while (!ready);
		return true;
	}
}

static void do_launch(json *request, json *args)
{
	const char *cwd = text_of(args, "cwd");
	char **program = program_of(args);

	if (started || !program || !*program[0] || (*cwd && chdir(cwd))) {
		respond(request, NULL, started ? "there is a program already" : *cwd ? "cwd cannot be entered" : "which program?");
		return;
	}
	set_environment(args);
	if (*text_of(args, "check"))
		setenv("PPU_CHECK", text_of(args, "check"), 1);
	link_start(&prog, program, json_object_get_boolean(json_object_object_get(args, "forwardOnly")), true);
	started = true;
	if (!comes_to_device()) {
		respond(request, NULL, "the program has ended without the use of a PPU");
		has_ended();
		return;
	}
	respond(request, NULL, NULL);
	send_event("initialized", NULL);
}

/* "Breakpoint 3 at ..."; NULL: there is none. */
static json *made(const char *said)
{
	json *b = json_object_new_object();
	unsigned number = 0;
	bool ok = said && sscanf(said, "Breakpoint %u", &number) == 1;
	const char *at = ok ? strstr(said, ", pc ") : NULL;

	json_object_object_add(b, "verified", json_object_new_boolean(ok));
	if (ok)
		put_number(b, "id", number);
	while (at && at > said && *at != ':')
		at--;
	if (at > said)
		put_number(b, "line", strtol(at + 1, NULL, 10));
	if (said)
		put_text(b, "message", said);
	return b;
}

static json *set_one(const char *where, json *b)
{
	const char *condition = text_of(b, "condition"), *times = text_of(b, "hitCondition");
	char *said = askf("break %s%s%s", where, *condition ? " if " : "", condition), *more;
	json *one = made(said);
	unsigned number;

	if (said && *times && sscanf(said, "Breakpoint %u", &number) == 1) {
		more = askf("ignore %u %ld", number, strtol(times, NULL, 10) - 1);
		free(more);
	}
	free(said);
	return one;
}

/* Breakpoints of a file, or of functions (""), are given all at once: those of before go. */
struct given {
	struct given *next;
	char *source;
	json *made;			/* with their ids */
};

static struct given *given_of(const char *source)
{
	static struct given *all;
	struct given *g;

	for (g = all; g; g = g->next)
		if (!strcmp(g->source, source))
			return g;
	g = calloc(1, sizeof(*g));
	if (g) {
		*g = (struct given){ .next = all, .source = strdup(source) };
		all = g;
	}
	return g;
}

static void drop_given(struct given *g)
{
	for (size_t i = 0; g->made && i < json_object_array_length(g->made); i++) {
		long id = (long)number_of(json_object_array_get_idx(g->made, i), "id");

		if (id)
			free(askf("delete %ld", id));
	}
	if (g->made)
		json_object_put(g->made);
	g->made = json_object_new_array();
}

static void set_breakpoints(json *request, const char *source, json *list)
{
	json *body = json_object_new_object(), *b;
	struct given *g = given_of(source);
	char *where;

	if (!g) {
		json_object_put(body);
		respond(request, NULL, "no memory");
		return;
	}
	if (list && !json_object_is_type(list, json_type_array))
		list = NULL;
	drop_given(g);
	for (size_t i = 0; list && i < json_object_array_length(list); i++) {
		b = json_object_array_get_idx(list, i);
		if (*source ? asprintf(&where, "%s:%ld", source, (long)number_of(b, "line")) < 0 :
		    asprintf(&where, "%s", text_of(b, "name")) < 0)
			continue;
		json_object_array_add(g->made, set_one(where, b));
		free(where);
	}
	json_object_object_add(body, "breakpoints", json_object_get(g->made));
	respond(request, body, NULL);
}

static void do_breakpoints(json *request, json *args)
{
	set_breakpoints(request, text_of(json_object_object_get(args, "source"), "path"), json_object_object_get(args, "breakpoints"));
}

static void do_exceptions(json *request, json *args)
{
	json *list = json_object_object_get(args, "filters");
	bool on = false;

	for (size_t i = 0; list && json_object_is_type(list, json_type_array) && i < json_object_array_length(list); i++)
		on |= !strcmp(json_object_get_string(json_object_array_get_idx(list, i)) ?: "", "checker");
	free(askf("catch checker %s", on ? "on" : "off"));
	respond(request, NULL, NULL);
}

static void do_functions(json *request, json *args)
{
	set_breakpoints(request, "", json_object_object_get(args, "breakpoints"));
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

/* All other threads stand still, if the user wants that. */
static bool is_alone(json *args)
{
	return json_object_get_boolean(json_object_object_get(args, "singleThread"));
}

static void go(json *request, const char *command, bool alone, bool body)
{
	json *b = body ? json_object_new_object() : NULL;
	char text[64];

	if (b)
		json_object_object_add(b, "allThreadsContinued", json_object_new_boolean(!alone));
	respond(request, b, NULL);
	snprintf(text, sizeof(text), "%s%s", command, alone ? " alone" : "");
	link_send(&prog, text);
	take_stop();			/* it says that the device runs, or why not */
}

/* A step is of the thread that the user looks at, by line or by instruction. */
static void step(json *request, json *args, const char *line, const char *insn, bool alone)
{
	free(askf("machine select %ld", (long)number_of(args, "threadId")));
	if (gone)
		respond(request, NULL, ended);
	else
		go(request, !strcmp(text_of(args, "granularity"), "instruction") ? insn : line, alone, false);
}

static void do_done(json *request, json *args)
{
	(void)args;
	go(request, "continue", false, false);
}

static void do_continue(json *request, json *args)
{
	bool alone = is_alone(args);

	if (alone)
		free(askf("machine select %ld", (long)number_of(args, "threadId")));
	if (gone)
		respond(request, NULL, ended);
	else
		go(request, "continue", alone, true);
}

static void do_next(json *request, json *args)
{
	step(request, args, "next", "stepi", is_alone(args));
}

static void do_step_in(json *request, json *args)
{
	step(request, args, "step", "stepi", is_alone(args));
}

static void do_step_out(json *request, json *args)
{
	step(request, args, "finish", "finish", is_alone(args));
}

static void do_step_back(json *request, json *args)
{
	step(request, args, "reverse-next", "reverse-stepi", false);
}

static void do_reverse(json *request, json *args)
{
	(void)args;
	go(request, "reverse-continue", false, false);
}

static void do_pause(json *request, json *args)
{
	(void)args;
	if (running)
		link_send(&prog, "!");
	respond(request, NULL, NULL);
}

static void do_disconnect(json *request, json *args)
{
	json *end = json_object_object_get(args, "terminateDebuggee");

	if (started && !gone && (!end || json_object_get_boolean(end)))
		link_kill(&prog);
	disconnected = true;
	respond(request, NULL, NULL);
}

/* ---- looking --------------------------------------------------------------------------------------------------------- */

/* The fields of a line between tabs; the next line, or NULL. */
static char *fields(char *line, char **v, unsigned n)
{
	char *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = 0;
	for (unsigned i = 0; i < n; i++)
		v[i] = strsep(&line, "\t") ?: (char *)"";
	return end + 1;
}

static void do_threads(json *request, json *args)
{
	json *body = json_object_new_object(), *list = json_object_new_array(), *t;
	char *said = running ? NULL : ask("machine threads"), *v[2], *next;

	(void)args;
	for (char *line = said; line && (next = fields(line, v, 2)); line = next) {
		t = json_object_new_object();
		put_number(t, "id", strtol(v[0], NULL, 10));
		put_text(t, "name", v[1]);
		json_object_array_add(list, t);
	}
	free(said);
	json_object_object_add(body, "threads", list);
	respond(request, body, NULL);
}

/* A frame's id: its thread's, and how deep it is. */
static void do_stack(json *request, json *args)
{
	json *body = json_object_new_object(), *list = json_object_new_array(), *f, *source;
	long thread = (long)number_of(args, "threadId"), depth = 0;
	char *said = askf("machine stack %ld", thread), *v[4], *next, ref[32];

	for (char *line = said; line && (next = fields(line, v, 4)); line = next, depth++) {
		f = json_object_new_object();
		put_number(f, "id", thread * 64 + depth);
		put_text(f, "name", v[0]);
		put_number(f, "line", strtol(v[2], NULL, 10));
		put_number(f, "column", 1);
		snprintf(ref, sizeof(ref), "pc:%s", v[3]);
		put_text(f, "instructionPointerReference", ref);
		if (*v[1]) {
			source = json_object_new_object();
			put_text(source, "name", strrchr(v[1], '/') ? strrchr(v[1], '/') + 1 : v[1]);
			put_text(source, "path", v[1]);
			json_object_object_add(f, "source", source);
		}
		json_object_array_add(list, f);
	}
	free(said);
	json_object_object_add(body, "stackFrames", list);
	put_number(body, "totalFrames", depth);
	respond(request, body, NULL);
}

static const struct scope {
	enum scopes id;
	const char *name, *hint, *command;
} scopes[] = {
	{ SCOPE_LOCALS, "Locals", "locals", "machine locals" },
	{ SCOPE_THREAD, "Thread", "locals", "machine thread" },
	{ SCOPE_PARAMETERS, "Parameters", "arguments", "machine parameters" },
	{ SCOPE_SHARED, "Shared variables", "locals", "machine shared" },
	{ SCOPE_REGISTERS, "Registers", "registers", "machine registers" },
};
#define NUM_SCOPES	(sizeof(scopes) / sizeof(scopes[0]))

static void do_scopes(json *request, json *args)
{
	json *body = json_object_new_object(), *list = json_object_new_array(), *s;
	long thread = (long)number_of(args, "frameId") / 64;

	for (size_t i = 0; i < NUM_SCOPES; i++) {
		s = json_object_new_object();
		put_text(s, "name", scopes[i].name);
		put_text(s, "presentationHint", scopes[i].hint);
		put_number(s, "variablesReference", thread * 8 + scopes[i].id);
		json_object_object_add(s, "expensive", json_object_new_boolean(false));
		json_object_array_add(list, s);
	}
	json_object_object_add(body, "scopes", list);
	respond(request, body, NULL);
}

static void do_variables(json *request, json *args)
{
	json *body = json_object_new_object(), *list = json_object_new_array(), *one;
	long ref = (long)number_of(args, "variablesReference");
	char *said = NULL, *v[3], *next;

	free(askf("machine select %ld", ref / 8));
	for (size_t i = 0; i < NUM_SCOPES && !gone; i++)
		if ((long)scopes[i].id == ref % 8)
			said = ask(scopes[i].command);
	for (char *line = said; line && (next = fields(line, v, 3)); line = next) {
		one = json_object_new_object();
		put_text(one, "name", v[0]);
		put_text(one, "value", v[1]);
		if (*v[2])
			put_text(one, "type", v[2]);
		put_number(one, "variablesReference", 0);
		json_object_array_add(list, one);
	}
	free(said);
	json_object_object_add(body, "variables", list);
	respond(request, body, NULL);
}

/* In the console any command; elsewhere an expression.  The debugger says whether a command lets the device run. */
static void do_evaluate(json *request, json *args)
{
	bool console = !strcmp(text_of(args, "context"), "repl");
	char *said = askf("%s%s", console ? "" : "print ", text_of(args, "expression"));
	json *body;

	if (!said) {
		respond(request, NULL, ended);
		return;
	}
	body = json_object_new_object();
	said[strcspn(said, "\n") + (console ? strlen(said) - strcspn(said, "\n") : 0)] = 0;
	put_text(body, "result", said);
	put_number(body, "variablesReference", 0);
	respond(request, body, NULL);
	free(said);
}

static char *base64(const char *hex)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = strlen(hex) / 2, at = 0;
	char *text = calloc(n / 3 + 2, 4);

	for (size_t i = 0; text && i < n; i += 3) {
		unsigned x = 0;

		for (size_t k = 0; k < 3; k++) {
			unsigned byte = 0;

			if (i + k < n)
				sscanf(hex + 2 * (i + k), "%2x", &byte);
			x = x << 8 | byte;
		}
		for (size_t k = 0; k < 4; k++)
			text[at++] = i + k > n ? '=' : digits[x >> (18 - 6 * k) & 63];
	}
	return text;
}

static void do_read_memory(json *request, json *args)
{
	json *body = json_object_new_object();
	char *end, *data, *said, address[80];
	const char *ref = text_of(args, "memoryReference"), *colon = strchr(ref, ':');
	uint64_t at = strtoull(colon ? colon + 1 : ref, &end, 0) + (uint64_t)number_of(args, "offset");

	snprintf(address, sizeof(address), "%.*s0x%llx", colon ? (int)(colon - ref + 1 < 16 ? colon - ref + 1 : 16) : 0, ref,
		 (unsigned long long)at);
	said = askf("machine read %s %ld", address, (long)number_of(args, "count"));
	if (!said) {
		json_object_put(body);
		respond(request, NULL, ended);
		return;
	}
	said[strcspn(said, "\n")] = 0;
	data = base64(said);
	put_text(body, "address", address);
	put_text(body, "data", data ? data : "");
	put_number(body, "unreadableBytes", number_of(args, "count") - (int64_t)(strlen(said) / 2));
	respond(request, body, NULL);
	free(said);
	free(data);
}

/* ---- the loop --------------------------------------------------------------------------------------------------------- */

static const struct request {
	const char *name;
	void (*fn)(json *request, json *args);
	enum { ANY_TIME, STOPPED } when;
} requests[] = {
	{ "initialize", do_initialize, ANY_TIME }, { "launch", do_launch, ANY_TIME }, { "disconnect", do_disconnect, ANY_TIME },
	{ "terminate", do_disconnect, ANY_TIME }, { "threads", do_threads, ANY_TIME }, { "pause", do_pause, ANY_TIME },
	{ "setBreakpoints", do_breakpoints, STOPPED }, { "setFunctionBreakpoints", do_functions, STOPPED },
	{ "setExceptionBreakpoints", do_exceptions, STOPPED },
	{ "configurationDone", do_done, STOPPED }, { "continue", do_continue, STOPPED }, { "next", do_next, STOPPED },
	{ "stepIn", do_step_in, STOPPED }, { "stepOut", do_step_out, STOPPED }, { "stepBack", do_step_back, STOPPED },
	{ "reverseContinue", do_reverse, STOPPED }, { "stackTrace", do_stack, STOPPED }, { "scopes", do_scopes, STOPPED },
	{ "variables", do_variables, STOPPED }, { "evaluate", do_evaluate, STOPPED }, { "readMemory", do_read_memory, STOPPED },
};

static void handle(json *request)
{
	const char *name = text_of(request, "command");
	json *args = json_object_object_get(request, "arguments");

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (strcmp(requests[i].name, name) != 0)
			continue;
		if (requests[i].when == STOPPED && (!started || gone || running))
			respond(request, NULL, !started ? "no program was launched" : gone ? ended : "the device runs");
		else
			requests[i].fn(request, args);
		return;
	}
	respond(request, NULL, "there is no such request");
}

/* The next message of stdin.  False: there is none any more. */
static bool take_message(void)
{
	char line[256], *text;
	size_t len = 0;
	json *m;

	do {
		if (!fgets(line, sizeof(line), stdin))
			return false;
		sscanf(line, "Content-Length: %zu", &len);
	} while (strcmp(line, "\r\n") != 0 && strcmp(line, "\n") != 0);
	text = len && len <= MOST_BYTES ? malloc(len + 1) : NULL;
	if (!text || fread(text, 1, len, stdin) != len)
		return false;
	text[len] = 0;
	m = json_tokener_parse(text);
	free(text);
	if (m && json_object_is_type(m, json_type_object))
		handle(m);
	if (m)
		json_object_put(m);
	return true;
}

int front_dap(void)
{
	bool on = true;

	setvbuf(stdin, NULL, _IONBF, 0);	/* poll() must know what is there */
	prog.output = -1;
	while (on && !disconnected) {
		bool lines = started && !gone && running;
		struct pollfd p[3] = {
			{ .fd = 0, .events = POLLIN }, { .fd = lines ? prog.fd : -1, .events = POLLIN },
			{ .fd = prog.output, .events = POLLIN },
		};

		if (poll(p, 3, -1) < 0 && errno != EINTR)
			break;
		if (p[2].revents)
			take_output();
		if (p[1].revents)
			take_stop();
		if (p[0].revents)
			on = take_message();
	}
	if (!on && started && !gone)
		link_kill(&prog);
	return 0;
}
