// SPDX-License-Identifier: GPL-2.0-only
/*
 * The grader's witness. lab_witness.h tells it what lab.ko does; it keeps that, and tells it through /dev/lab-witness.
 *
 * Written: "reset", "fail N" (the N-th acquisition from now on fails), "failall FUNCTION".
 * Read: lines, see witness_show().
 */
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/kprobes.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <trace/events/kmem.h>

/* This file needs the declarations, and none of the macros. */
#define LAB_WITNESS_SELF
#include "lab_witness.h"

#define RECORDS		16384
#define BADS		64
#define FUNCTIONS	128
#define INTR_ENABLE	0x14		/* in BAR0 */
#define USERD		0x200000	/* in BAR0: one page a channel, */
#define USERD_STRIDE	0x1000
#define USERD_GP_PUT	4		/* with the doorbell */

struct place {
	char function[40];
	char file[40];
	int line;
};

struct record {
	struct hlist_node node;
	enum lab_kind kind;
	u64 key;			/* inverted, because kmemleak would take an address here for a reference */
	u64 extra;
	struct place at;
};

static struct {
	raw_spinlock_t lock;		/* protects all fields of w */
	struct record records[RECORDS];
	struct hlist_head free;
	unsigned int overflow;
	unsigned int acquired;		/* since the last reset */
	unsigned int fail;		/* acquisitions until one fails; 0: none will */
	char fail_all[40];
	struct place failed;
	struct {
		struct place at;
		char text[96];
	} bad[BADS];
	unsigned int nbad;
	struct {
		char name[40];
		unsigned int calls;
	} functions[FUNCTIONS];
	int pinned;
	struct place last_pin;
	u64 bar0;			/* where lab.ko mapped BAR0; 0: it has not */
	bool barrier;			/* a barrier has come since the last doorbell */
	unsigned int doorbells;
	unsigned int unordered;
} w;

static DEFINE_HASHTABLE(table, 10);

static void place_set(struct place *to, const struct lab_site *site)
{
	strscpy(to->function, site->function, sizeof(to->function));
	strscpy(to->file, kbasename(site->file), sizeof(to->file));
	to->line = site->line;
}

static void count_call(const char *name)
{
	int i;

	for (i = 0; i < FUNCTIONS && w.functions[i].name[0]; i++)
		if (!strcmp(w.functions[i].name, name))
			break;
	if (i == FUNCTIONS)
		return;
	strscpy(w.functions[i].name, name, sizeof(w.functions[i].name));
	w.functions[i].calls++;
}

static void add_bad(const struct lab_site *site, const char *text)
{
	if (w.nbad < BADS) {
		place_set(&w.bad[w.nbad].at, site);
		strscpy(w.bad[w.nbad].text, text, sizeof(w.bad[0].text));
	}
	w.nbad++;
}

static struct record *find(enum lab_kind kind, u64 key)
{
	struct record *rec;

	hash_for_each_possible(table, rec, node, key + kind)
		if (rec->kind == kind && rec->key == ~key)
			return rec;
	return NULL;
}

static void drop(struct record *rec)
{
	hash_del(&rec->node);
	hlist_add_head(&rec->node, &w.free);
}

/* May the device send interrupt messages, as far as lab.ko has programmed it? */
static bool sending(void)
{
	return w.bar0 && readl((void __iomem *)(unsigned long)w.bar0 + INTR_ENABLE);
}

bool lab_w_fail(const struct lab_site *site)
{
	unsigned long flags;
	bool fail;

	raw_spin_lock_irqsave(&w.lock, flags);
	count_call(site->function);
	w.acquired++;
	fail = (w.fail && !--w.fail) || !strcmp(w.fail_all, site->function);
	if (fail)
		place_set(&w.failed, site);
	raw_spin_unlock_irqrestore(&w.lock, flags);
	return fail;
}
EXPORT_SYMBOL_GPL(lab_w_fail);

void lab_w_add(enum lab_kind kind, u64 key, u64 extra, const struct lab_site *site)
{
	unsigned long flags;
	struct record *rec;

	raw_spin_lock_irqsave(&w.lock, flags);
	if (kind == LAB_K_MAP && extra == 1)
		w.bar0 = key;
	/* The kernel reuses addresses: an old record means that the memory was given back where nobody looks. */
	rec = kind == LAB_K_MEMORY || kind == LAB_K_COHERENT || kind == LAB_K_PAGE ? find(kind, key) : NULL;
	if (rec)
		drop(rec);
	if (hlist_empty(&w.free)) {
		w.overflow++;
	} else {
		rec = hlist_entry(w.free.first, struct record, node);
		hlist_del_init(&rec->node);
		rec->kind = kind;
		rec->key = ~key;
		rec->extra = extra;
		place_set(&rec->at, site);
		hash_add(table, &rec->node, key + kind);
	}
	raw_spin_unlock_irqrestore(&w.lock, flags);
}
EXPORT_SYMBOL_GPL(lab_w_add);

void lab_w_del(enum lab_kind kind, u64 key, u64 extra, const struct lab_site *site)
{
	unsigned long flags;
	struct record *rec;
	char text[96];

	raw_spin_lock_irqsave(&w.lock, flags);
	count_call(site->function);
	rec = find(kind, key);
	if (!rec) {
		if (!w.overflow) {
			snprintf(text, sizeof(text), "%s() of what is not held", site->function);
			add_bad(site, text);
		}
	} else {
		if (extra != LAB_ANY && rec->extra != extra) {
			snprintf(text, sizeof(text), "%s() with another size or direction than %s() at %s:%d",
				 site->function, rec->at.function, rec->at.file, rec->at.line);
			add_bad(site, text);
		}
		if (kind == LAB_K_MAP && key == w.bar0)
			w.bar0 = 0;
		if ((kind == LAB_K_IRQ || kind == LAB_K_VECTORS) && sending()) {
			snprintf(text, sizeof(text), "%s() while INTR_ENABLE lets the device send messages",
				 site->function);
			add_bad(site, text);
		}
		drop(rec);
	}
	raw_spin_unlock_irqrestore(&w.lock, flags);
}
EXPORT_SYMBOL_GPL(lab_w_del);

void lab_w_pin(int pages, const struct lab_site *site)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&w.lock, flags);
	if (pages < 0)
		count_call(site->function);
	else
		place_set(&w.last_pin, site);
	w.pinned += pages;
	raw_spin_unlock_irqrestore(&w.lock, flags);
}
EXPORT_SYMBOL_GPL(lab_w_pin);

void lab_w_bad(const struct lab_site *site, const char *text)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&w.lock, flags);
	add_bad(site, text);
	raw_spin_unlock_irqrestore(&w.lock, flags);
}
EXPORT_SYMBOL_GPL(lab_w_bad);

void lab_w_barrier(void)
{
	WRITE_ONCE(w.barrier, true);
}
EXPORT_SYMBOL_GPL(lab_w_barrier);

/* A store to a register has happened. */
void lab_w_store(const volatile void __iomem *at, const struct lab_site *site)
{
	u64 offset = (__force u64)(unsigned long)at - READ_ONCE(w.bar0);
	unsigned long flags;

	if (!READ_ONCE(w.bar0) || offset < USERD || offset >= 2 * USERD || offset % USERD_STRIDE != USERD_GP_PUT)
		return;
	raw_spin_lock_irqsave(&w.lock, flags);
	w.doorbells++;
	if (!w.barrier) {
		w.unordered++;
		count_call("unordered doorbell");
	}
	w.barrier = false;
	raw_spin_unlock_irqrestore(&w.lock, flags);
}
EXPORT_SYMBOL_GPL(lab_w_store);

/* --- memory that is freed somewhere else ----------------------------------------------------- */

static void freed(const void *ptr)
{
	unsigned long flags;
	struct record *rec;

	if (!ptr)
		return;
	raw_spin_lock_irqsave(&w.lock, flags);
	rec = find(LAB_K_MEMORY, (unsigned long)ptr);
	if (rec)
		drop(rec);
	raw_spin_unlock_irqrestore(&w.lock, flags);
}

static void on_kfree(void *data, unsigned long call_site, const void *ptr)
{
	freed(ptr);
}

#ifdef CONFIG_KPROBES
/* kvfree_call_rcu(head, offset of head) or (NULL, pointer). It frees later, without the tracepoint. */
static int on_kvfree_call_rcu(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long head = regs_get_kernel_argument(regs, 0), func = regs_get_kernel_argument(regs, 1);

	freed((void *)(head ? head - func : func));
	return 0;
}

static struct kprobe rcu_probe = {
	.symbol_name = "kvfree_call_rcu",
	.pre_handler = on_kvfree_call_rcu,
};

static int rcu_probe_add(void)
{
	return register_kprobe(&rcu_probe);
}

static void rcu_probe_remove(void)
{
	unregister_kprobe(&rcu_probe);
}
#else
static int rcu_probe_add(void)
{
	return 0;
}

static void rcu_probe_remove(void)
{
}
#endif

/* --- the file -------------------------------------------------------------------------------- */

static void reset(void)
{
	unsigned long flags;
	int i;

	raw_spin_lock_irqsave(&w.lock, flags);
	hash_init(table);
	INIT_HLIST_HEAD(&w.free);
	for (i = 0; i < RECORDS; i++)
		hlist_add_head(&w.records[i].node, &w.free);
	w.overflow = 0;
	w.acquired = 0;
	w.fail = 0;
	w.fail_all[0] = 0;
	w.failed.function[0] = 0;
	w.nbad = 0;
	memset(w.functions, 0, sizeof(w.functions));
	w.pinned = 0;
	w.barrier = false;
	w.doorbells = 0;
	w.unordered = 0;
	raw_spin_unlock_irqrestore(&w.lock, flags);
}

static ssize_t witness_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	char text[64];
	unsigned long flags;
	unsigned int n;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, len))
		return -EFAULT;
	text[len] = 0;
	if (!strcmp(text, "reset")) {
		reset();
	} else if (sscanf(text, "fail %u", &n) == 1) {
		raw_spin_lock_irqsave(&w.lock, flags);
		w.fail = n;
		w.failed.function[0] = 0;
		raw_spin_unlock_irqrestore(&w.lock, flags);
	} else if (!strncmp(text, "failall ", 8)) {
		raw_spin_lock_irqsave(&w.lock, flags);
		strscpy(w.fail_all, text + 8, sizeof(w.fail_all));
		w.failed.function[0] = 0;
		raw_spin_unlock_irqrestore(&w.lock, flags);
	} else {
		return -EINVAL;
	}
	return len;
}

static void show_place(struct seq_file *m, const char *word, const struct place *at)
{
	seq_printf(m, "%s %s %s:%d\n", word, at->function, at->file, at->line);
}

/* A record must not change while its line is made, so what the line needs is copied under the lock. */
static int witness_show(struct seq_file *m, void *unused)
{
	unsigned long flags;
	int i;

	/* Waits until everything that RCU is about to free has been freed. */
	rcu_barrier();
	seq_printf(m, "acquired %u\n", w.acquired);
	seq_printf(m, "doorbells %u %u\n", w.doorbells, w.unordered);
	seq_printf(m, "pinned %d\n", max(w.pinned, 0));
	if (w.failed.function[0])
		show_place(m, "failed", &w.failed);
	if (w.pinned > 0)
		show_place(m, "held", &w.last_pin);
	for (i = 0; i < RECORDS; i++) {
		struct record *rec = &w.records[i];
		struct place at;
		bool held;

		raw_spin_lock_irqsave(&w.lock, flags);
		held = find(rec->kind, ~rec->key) == rec;
		at = rec->at;
		raw_spin_unlock_irqrestore(&w.lock, flags);
		if (held)
			show_place(m, "held", &at);
	}
	for (i = 0; i < min_t(int, w.nbad, BADS); i++)
		seq_printf(m, "bad %s:%d %s\n", w.bad[i].at.file, w.bad[i].at.line, w.bad[i].text);
	for (i = 0; i < FUNCTIONS && w.functions[i].name[0]; i++)
		seq_printf(m, "calls %s %u\n", w.functions[i].name, w.functions[i].calls);
	if (w.overflow)
		seq_printf(m, "overflow %u\n", w.overflow);
	return 0;
}

static int witness_open(struct inode *inode, struct file *file)
{
	file->private_data = NULL;	/* seq_open() expects NULL, and misc_open() puts the device there */
	return single_open_size(file, witness_show, NULL, 1 << 16);
}

static const struct file_operations witness_fops = {
	.owner = THIS_MODULE,
	.open = witness_open,
	.read = seq_read,
	.write = witness_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct miscdevice witness_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "lab-witness",
	.fops = &witness_fops,
	.mode = 0600,
};

static int __init witness_init(void)
{
	int ret;

	raw_spin_lock_init(&w.lock);
	reset();
	ret = register_trace_kfree(on_kfree, NULL);
	if (ret)
		return ret;
	ret = rcu_probe_add();
	if (ret)
		goto err_trace;
	ret = misc_register(&witness_misc);
	if (ret)
		goto err_probe;
	return 0;

err_probe:
	rcu_probe_remove();
err_trace:
	unregister_trace_kfree(on_kfree, NULL);
	tracepoint_synchronize_unregister();
	return ret;
}

static void __exit witness_exit(void)
{
	misc_deregister(&witness_misc);
	rcu_probe_remove();
	unregister_trace_kfree(on_kfree, NULL);
	tracepoint_synchronize_unregister();
}

module_init(witness_init);
module_exit(witness_exit);
MODULE_DESCRIPTION("Sees what the lab driver acquires and gives back");
MODULE_LICENSE("GPL");
