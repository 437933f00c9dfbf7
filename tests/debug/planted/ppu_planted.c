// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bugs on purpose, for the self-test of `make check-debug`: loading this module
 * with what=NAME makes one mistake of the kind that a checker of the debug
 * kernel must report.  It is built like the driver, so that a checker which does
 * not see this module would not see the driver either.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

static char *what = "";
module_param(what, charp, 0400);
MODULE_PARM_DESC(what, "the mistake to make");

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);
static DEFINE_SPINLOCK(spin);
static volatile int sink;

static void plant_kasan_free(void)
{
	volatile int *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return;
	kfree((void *)p);
	sink = p[3];
}

static void plant_kasan_bounds(void)
{
	volatile char *p = kmalloc(40, GFP_KERNEL);

	if (!p)
		return;
	p[40 + sink] = 1;
	kfree((void *)p);
}

static void plant_ubsan_shift(void)
{
	volatile int by = 40;

	sink = 1 << by;
}

/* A then B, B then A: nothing hangs, but the order of locks is wrong. */
static void plant_lockdep(void)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);

	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
}

static void plant_rcu(void)
{
	static int __rcu *pointer;

	sink = !rcu_dereference(pointer);
}

/*
 * It could sleep, and does not.  To sleep for real lets other code run under the lock, and whatever that takes makes
 * lockdep report, now or then, and so switch itself off.
 */
static void plant_atomic(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

static void plant_refcount(void)
{
	refcount_t count = REFCOUNT_INIT(0);

	refcount_inc(&count);
}

static void plant_list(void)
{
	struct list_head head, entry;

	INIT_LIST_HEAD(&head);
	list_add(&entry, &head);
	list_add(&entry, &head);
}

static void never(struct timer_list *timer)
{
}

static void plant_odebug(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, never, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static void plant_warn(void)
{
	WARN(1, "planted");
}

static void plant_leak(void)
{
	for (int i = 0; i < 8; i++) {
		void *p = kmalloc(200, GFP_KERNEL);

		/* Do not leave the pointer in a register or on a stack. */
		sink = !p;
	}
}

static const struct {
	const char *name;
	void (*plant)(void);
} plants[] = {
	{ "kasan-free", plant_kasan_free },
	{ "kasan-bounds", plant_kasan_bounds },
	{ "ubsan-shift", plant_ubsan_shift },
	{ "lockdep", plant_lockdep },
	{ "rcu", plant_rcu },
	{ "atomic", plant_atomic },
	{ "refcount", plant_refcount },
	{ "list", plant_list },
	{ "odebug", plant_odebug },
	{ "warn", plant_warn },
	{ "leak", plant_leak },
};

static int __init planted_init(void)
{
	for (int i = 0; i < ARRAY_SIZE(plants); i++) {
		if (!strcmp(what, plants[i].name)) {
			plants[i].plant();
			return 0;
		}
	}
	return -EINVAL;
}
module_init(planted_init);

static void __exit planted_exit(void)
{
}
module_exit(planted_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Planted bugs: shows that the checkers of the debug kernel see them");
