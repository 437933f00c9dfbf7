// SPDX-License-Identifier: GPL-2.0-only
/* A module with one thing to write, for the framework's own tests. */
#include <linux/module.h>
#include <linux/slab.h>

static int value;
module_param(value, int, 0444);

//LAB 1 write: Set value to 42, and hold some memory while you are loaded.
static void *held;

static int lab_init(void)
{
	held = kmalloc(100, GFP_KERNEL);
	if (!held)
		return -ENOMEM;
	value = 42;
	return 0;
}

static void lab_exit(void)
{
	kfree(held);
}
//LAB instead
static int lab_init(void)
{
	return 0;
}

static void lab_exit(void)
{
}
//LAB end

module_init(lab_init);
module_exit(lab_exit);
MODULE_DESCRIPTION("For the tests of the labs' framework");
MODULE_LICENSE("GPL");
