/* SPDX-License-Identifier: MIT */
/*
 * A thread gives files to processes that ask for them, by a socket without a name in the file system. Who asks must be of
 * the same user, as the kernel says, and must know a random number of 128 bits, which is in the handle.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/thread.h"
#include "cuda/context/offer.h"

struct entry {
	struct entry *next;
	uint64_t token[2];
	int fd;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;
static uint64_t server;
static pid_t server_pid;		/* a child of fork() has no thread */

static socklen_t name_of(const struct cu_offer *o, struct sockaddr_un *a)
{
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "ppu-cuda-%" PRIu32 "-%016" PRIx64, o->pid,
					    o->server));
}

static bool same_user(int fd)
{
	struct ucred c;
	socklen_t len = sizeof(c);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &len) && c.uid == geteuid();
}

/* Nobody holds up the others. */
static void hurry(int fd)
{
	struct timeval t = { .tv_sec = 2 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

/* ---- giving --------------------------------------------------------------------------------- */

static void give(int to, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .room = { 0 } };
	char byte = 1;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	sendmsg(to, &m, MSG_NOSIGNAL);
}

static void serve(int client)
{
	uint64_t token[2];
	int fd = -1;

	hurry(client);
	if (!same_user(client) || recv(client, token, sizeof(token), MSG_WAITALL) != (ssize_t)sizeof(token))
		return;
	pthread_mutex_lock(&lock);
	for (const struct entry *e = entries; e; e = e->next)
		if (e->token[0] == token[0] && e->token[1] == token[1])
			fd = fcntl(e->fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&lock);
	if (fd < 0)
		return;
	give(client, fd);
	close(fd);
}

static void *thread(void *arg)
{
	int fd = (int)(intptr_t)arg;

	for (;;) {
		int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (client < 0 && errno != EINTR && errno != ECONNABORTED)
			usleep(10000);		/* no file is left: perhaps soon */
		if (client < 0)
			continue;
		serve(client);
		close(client);
	}
	return NULL;
}

/* Locked. */
static bool start(void)
{
	struct cu_offer o = { .pid = (uint32_t)getpid() };
	struct sockaddr_un a;
	pthread_t t;
	int fd;

	if (server_pid == getpid())
		return true;
	if (getrandom(&o.server, sizeof(o.server), 0) != (ssize_t)sizeof(o.server))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (bind(fd, (struct sockaddr *)&a, name_of(&o, &a)) || listen(fd, 64) ||
	    ppu_thread_start(&t, thread, (void *)(intptr_t)fd)) {
		close(fd);
		return false;
	}
	pthread_detach(t);
	server = o.server;
	server_pid = getpid();
	return true;
}

CUresult cu_offer_new(enum cu_offer_kind kind, int fd, struct cu_offer *o)
{
	struct entry *e = calloc(1, sizeof(*e));
	bool ok;

	o->kind = kind;
	o->pid = (uint32_t)getpid();
	pthread_mutex_lock(&lock);
	ok = e && start() && getrandom(e->token, sizeof(e->token), 0) == (ssize_t)sizeof(e->token);
	if (ok) {
		e->fd = fd;
		e->next = entries;
		entries = e;
		o->server = server;
		memcpy(o->token, e->token, sizeof(o->token));
	}
	pthread_mutex_unlock(&lock);
	if (ok)
		return CUDA_SUCCESS;
	free(e);
	close(fd);
	return CUDA_ERROR_OPERATING_SYSTEM;
}

void cu_offer_end(const struct cu_offer *o)
{
	struct entry **p, *e;

	pthread_mutex_lock(&lock);
	for (p = &entries; (e = *p) && memcmp(e->token, o->token, sizeof(e->token)); p = &e->next)
		;
	if (e) {
		*p = e->next;
		close(e->fd);
		free(e);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- taking --------------------------------------------------------------------------------- */

bool cu_offer_is_mine(const struct cu_offer *o)
{
	bool mine;

	pthread_mutex_lock(&lock);
	mine = server_pid == getpid() && o->pid == (uint32_t)server_pid && o->server == server;
	pthread_mutex_unlock(&lock);
	return mine;
}

static int received(int from)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };
	const struct cmsghdr *c;
	int fd = -1;

	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

bool cu_offer_is(enum cu_offer_kind kind, const struct cu_offer *o)
{
	return o->kind == (uint32_t)kind && o->offset <= o->buffer && o->bytes <= o->buffer - o->offset;
}

CUresult cu_offer_take(const struct cu_offer *o, int *fd)
{
	struct sockaddr_un a;
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*fd = -1;
	if (s < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	hurry(s);
	if (!connect(s, (struct sockaddr *)&a, name_of(o, &a)) && same_user(s) &&
	    send(s, o->token, sizeof(o->token), MSG_NOSIGNAL) == (ssize_t)sizeof(o->token))
		*fd = received(s);
	close(s);
	return *fd < 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}
