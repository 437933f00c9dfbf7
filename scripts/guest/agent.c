// SPDX-License-Identifier: MIT
/*
 * The guest's end of scripts/vm: runs one command and carries its input,
 * output and exit status over two virtio-serial ports (or serial lines). (And, for init, the
 * first steps of a boot: agent --early, agent --modules DIR.)
 *
 *	agent IO-PORT CTL-PORT FLAGS CMD ARG...
 *
 * FLAGS is "-" and letters: i = carry standard input, t = run the command on a
 * terminal of its own (implies i). With AGENT_ROOT in the environment the
 * command runs in that root directory, in AGENT_CWD if that exists there.
 *
 * To the host, on the control port:	"start MS\n"	uptime when CMD starts
 *					"sent N\n"	bytes of output there were (ports only)
 *					"end MS\n"	uptime when CMD has ended
 *					"exit N\n"	CMD's exit status
 * From the host:			"eof N\n"	end of standard input after N bytes
 *					"size R C\n"	terminal size
 *					"done\n"	all output arrived: the machine may end
 *
 * The command gets a pipe, not the port itself: a port can be opened once only, and programs do open /dev/stdout. When
 * the command has ended, bytes in the pipe are still delivered, but children that the command left behind do not keep
 * the machine running.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int ctl;

static void write_all(int fd, const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(fd, buf, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		buf += n;
		len -= n;
	}
}

static void tell(const char *what, long value)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "%s %ld\n", what, value);

	write_all(ctl, line, n);
}

/*
 * Bytes written to one port may still be on their way, in the kernel or in QEMU, when later bytes on the other port
 * have arrived; and they are lost if the machine ends then.
 */
static void wait_until_taken(void)
{
	struct pollfd p = { .fd = ctl, .events = POLLIN };
	char text[4096];
	size_t used = 0;

	while (poll(&p, 1, 60000) > 0) {
		ssize_t n = read(ctl, text + used, sizeof(text) - 1 - used);

		if (n <= 0)
			return;
		used += n;
		text[used] = 0;
		if (strstr(text, "done\n"))
			return;
		if (used == sizeof(text) - 1) {
			memmove(text, text + used - 8, 8);
			used = 8;
		}
	}
}

/* A sealed machine's ports are serial lines: no echo, no translation. */
static void raw(int fd)
{
	struct termios t;

	if (tcgetattr(fd, &t))
		return;
	cfmakeraw(&t);
	tcsetattr(fd, TCSANOW, &t);
}

/* In milliseconds. */
static unsigned long uptime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void fail(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	tell("exit", 125);
	exit(1);
}

static void control_line(char *line, int *in, int tty, long long *input_end)
{
	struct winsize ws = { 0 };

	if (sscanf(line, "eof %lld", input_end) == 1)
		;
	else if (tty && sscanf(line, "size %hu %hu", &ws.ws_row, &ws.ws_col) == 2) {
		ioctl(*in, TIOCSWINSZ, &ws);
	}
}

/*
 * agent --early, agent --modules DIR: the first steps of a boot, without a
 * process for each (one costs some 10 ms in a guest without KVM): mount what
 * every Linux has, and load DIR/order's modules.
 */
static void mount_all(void)
{
	static const struct {
		const char *type, *where, *options;
	} mounts[] = {
		{ "proc", "/proc", "" },
		{ "sysfs", "/sys", "" },
		{ "devtmpfs", "/dev", "" },
		{ "tmpfs", "/run", "mode=755" },
		{ "tmpfs", "/tmp", "mode=1777" },
		{ "devpts", "/dev/pts", "" },
		{ "tmpfs", "/dev/shm", "mode=1777" },
		{ "debugfs", "/sys/kernel/debug", "" },
		{ "tracefs", "/sys/kernel/tracing", "" },
	};
	static const char *const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" },
		{ "fd/0", "/dev/stdin" },
		{ "fd/1", "/dev/stdout" },
		{ "fd/2", "/dev/stderr" },
	};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].where, 0755);
		if (mount(mounts[i].type, mounts[i].where, mounts[i].type, 0, mounts[i].options))
			perror(mounts[i].where);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (symlink(links[i][0], links[i][1]) && errno != EEXIST)
			perror(links[i][1]);
	}
}

static int load_modules(const char *dir)
{
	char name[256], path[512];
	FILE *order;
	int failed = 0;

	snprintf(path, sizeof(path), "%s/order", dir);
	order = fopen(path, "r");
	if (!order) {
		perror(path);
		return 1;
	}
	while (fscanf(order, "%255s", name) == 1) {
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0)) {
			perror(path);
			failed = 1;
		}
		close(fd);
	}
	fclose(order);
	return failed;
}

int main(int argc, char **argv)
{
	int io, in = -1, out, sfd, tty, with_input, status = 0;
	char line[256], buf[65536];
	static char ibuf[65536];
	long long input_end = -1, input_read = 0, sent = 0;
	size_t used = 0, ifrom = 0, ito = 0;
	sigset_t chld;
	pid_t pid;

	if (argc == 2 && !strcmp(argv[1], "--early")) {
		mount_all();
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "--modules"))
		return load_modules(argv[2]);
	if (argc < 5) {
		fprintf(stderr, "usage: agent IO CTL FLAGS CMD ARG...\n");
		return 2;
	}
	tty = strchr(argv[3], 't') != NULL;
	with_input = tty || strchr(argv[3], 'i');
	ctl = open(argv[2], O_RDWR | O_CLOEXEC);
	if (ctl < 0) {
		perror(argv[2]);
		return 1;
	}
	io = open(argv[1], O_RDWR | O_CLOEXEC);
	if (io < 0)
		fail(argv[1]);

	raw(ctl);
	raw(io);

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	signal(SIGPIPE, SIG_IGN);
	sfd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sfd < 0)
		fail("signalfd");

	tell("start", uptime());

	if (tty) {
		pid = forkpty(&out, NULL, NULL, NULL);
		in = out;
	} else {
		int po[2], pi[2] = { -1, -1 };

		if (pipe2(po, O_CLOEXEC) || (with_input && pipe2(pi, O_CLOEXEC)))
			fail("pipe");
		pid = fork();
		if (pid == 0) {
			int null = open("/dev/null", O_RDONLY);

			setsid();
			dup2(with_input ? pi[0] : null, 0);
			dup2(po[1], 1);
			dup2(po[1], 2);
			if (null > 2)
				close(null);
		} else {
			close(po[1]);
			close(pi[0]);
			in = pi[1];
		}
		out = po[0];
	}
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		const char *root = getenv("AGENT_ROOT"), *cwd = getenv("AGENT_CWD");

		sigprocmask(SIG_UNBLOCK, &chld, NULL);
		if (root && (chroot(root) || chdir("/"))) {
			perror(root);
			_exit(125);
		}
		if (cwd && chdir(cwd) && chdir("/"))
			_exit(125);
		unsetenv("AGENT_ROOT");
		unsetenv("AGENT_CWD");
		signal(SIGPIPE, SIG_DFL);
		execvp(argv[4], argv + 4);
		fprintf(stderr, "%s: %s\n", argv[4], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
	if (in >= 0)
		fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);

	for (int running = 1; running;) {
		struct pollfd p[] = {
			{ .fd = out, .events = POLLIN },
			{ .fd = sfd, .events = POLLIN },
			{ .fd = ctl, .events = POLLIN },
			{ .fd = in >= 0 && ifrom == ito ? io : -1, .events = POLLIN },
			{ .fd = ifrom < ito ? in : -1, .events = POLLOUT },
		};
		ssize_t n;

		if (poll(p, 5, -1) < 0 && errno != EINTR)
			fail("poll");
		if (p[1].revents & POLLIN) {
			struct signalfd_siginfo si;
			int st;
			pid_t w;

			while (read(sfd, &si, sizeof(si)) > 0)
				;
			while ((w = waitpid(-1, &st, WNOHANG)) > 0) {
				if (w == pid) {
					status = st;
					running = 0;
				}
			}
		}
		/* Deliver also output that was written just before the end. */
		while ((n = read(out, buf, sizeof(buf))) > 0) {
			write_all(io, buf, n);
			sent += n;
			if (running)
				break;
		}
		if (n == 0 || (n < 0 && errno == EIO)) {
			/* Output closed; wait for the process alone. */
			if (running && !tty) {
				int quiet[2];	/* never readable: both ends are ours */

				if (pipe2(quiet, O_CLOEXEC | O_NONBLOCK))
					fail("pipe");
				close(out);
				out = quiet[0];
			} else if (running) {
				usleep(1000);
			}
		}
		if (p[2].revents & POLLIN) {
			n = read(ctl, line + used, sizeof(line) - 1 - used);
			if (n > 0) {
				char *nl;

				used += n;
				line[used] = 0;
				while ((nl = strchr(line, '\n'))) {
					*nl = 0;
					control_line(line, &in, tty, &input_end);
					used -= nl + 1 - line;
					memmove(line, nl + 1, used + 1);
				}
				if (used == sizeof(line) - 1)
					used = 0;
			}
		}
		if (p[3].revents & POLLIN) {
			n = read(io, ibuf, sizeof(ibuf));
			if (n > 0) {
				ifrom = 0;
				ito = n;
				input_read += n;
			}
		}
		if (in >= 0 && ifrom < ito) {
			n = write(in, ibuf + ifrom, ito - ifrom);
			if (n > 0)
				ifrom += n;
			else if (errno != EAGAIN && errno != EINTR)
				ifrom = ito;	/* nobody reads the output: discard it */
		}
		if (in >= 0 && ifrom == ito && input_end >= 0 && input_read >= input_end && !tty) {
			close(in);
			in = -1;
		}
	}
	if (isatty(io))
		tcdrain(io);
	else
		tell("sent", sent);
	tell("end", uptime());
	tell("exit", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	if (isatty(io))
		tcdrain(ctl);
	else
		wait_until_taken();
	return 0;
}
