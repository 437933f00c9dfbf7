// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: who may touch the device, and when.
 *
 * Who wants something of the device enters a section, and waits while the device is reset or
 * asleep.  Such a section must not be inside another one: a reset would wait for the outer section,
 * which would wait for the end of the reset.
 *
 * Who must not wait (in atomic context, or since fences wait for it), or may be in a section
 * already, tries to enter.  That works in every other section.  Where it does not work, the device
 * is gone, or it has lost all channels and contexts: so what could not be done does not matter.
 *
 * While nobody needs the device it may sleep (runtime power management).  Who enters a section
 * wakes it, and keeps it awake; who only tries to does not get in: it has neither channels nor
 * contexts then.
 *
 * The gate is closed in two steps.  After the first, sections that wait are over and no new ones
 * begin; after the second, those that do not wait are over as well.
 */

#include <linux/lockdep.h>

#include "base/ppu_awake.h"
#include "base/ppu_device.h"
#include "base/ppu_gate.h"

#ifdef CONFIG_LOCKDEP
static void ppu_gate_map_init(struct ppu_gate *gate)
{
	lockdep_register_key(&gate->key);
	lockdep_init_map(&gate->map, "ppu_gate", &gate->key, 0);
}

static void ppu_gate_map_fini(struct ppu_gate *gate)
{
	lockdep_unregister_key(&gate->key);
}

#define ppu_gate_map_read(gate)		rwsem_acquire_read(&(gate)->map, 0, 0, _RET_IP_)
#define ppu_gate_map_write(gate)	rwsem_acquire(&(gate)->map, 0, 0, _RET_IP_)
#define ppu_gate_map_release(gate)	rwsem_release(&(gate)->map, _RET_IP_)
#else
static void ppu_gate_map_init(struct ppu_gate *gate) { }
static void ppu_gate_map_fini(struct ppu_gate *gate) { }
static void ppu_gate_map_read(struct ppu_gate *gate) { }
static void ppu_gate_map_write(struct ppu_gate *gate) { }
static void ppu_gate_map_release(struct ppu_gate *gate) { }
#endif

/** ppu_gate_init - make an open gate */
int ppu_gate_init(struct ppu_device *ppu)
{
	struct ppu_gate *gate = &ppu->gate;
	int ret = init_srcu_struct(&gate->srcu);

	if (ret)
		return ret;
	init_waitqueue_head(&gate->wait);
	ppu_gate_map_init(gate);
	return 0;
}

/** ppu_gate_fini - undo ppu_gate_init() */
void ppu_gate_fini(struct ppu_device *ppu)
{
	ppu_gate_map_fini(&ppu->gate);
	cleanup_srcu_struct(&ppu->gate.srcu);
}

/* Before drm_dev_unplug() begins, and for ever. */
static bool ppu_gate_is_gone(struct ppu_device *ppu)
{
	return READ_ONCE(ppu->gate.left);
}

/* Begins a section, unless @shut says that there are none, or the device is gone. */
static bool ppu_gate_begin(struct ppu_device *ppu, const bool *shut, int *idx)
{
	*idx = srcu_read_lock(&ppu->gate.srcu);
	/* Sparse cannot follow a lock that is held or not. */
	__release(&ppu->gate.srcu);
	if (!READ_ONCE(*shut) && !ppu_gate_is_gone(ppu))
		return true;
	__acquire(&ppu->gate.srcu);
	srcu_read_unlock(&ppu->gate.srcu, *idx);
	return false;
}

/**
 * ppu_try_enter - begin a section now, or not at all
 * @ppu: device
 * @idx: for ppu_try_exit()
 *
 * In any context, also in a section, where it works unless the device was unplugged.
 *
 * Return: false if the device is reset now, sleeps, or is gone.
 */
bool ppu_try_enter(struct ppu_device *ppu, int *idx)
{
	return ppu_gate_begin(ppu, &ppu->gate.closed, idx);
}

/** ppu_try_exit - end a section of ppu_try_enter() */
void ppu_try_exit(struct ppu_device *ppu, int idx)
{
	srcu_read_unlock(&ppu->gate.srcu, idx);
}

/**
 * ppu_enter - begin a section, when the device is there
 * @ppu: device
 * @idx: for ppu_exit()
 *
 * Not in a section.  What the caller holds is held while a reset lasts; no fence may wait for it.
 * A section neither copies user memory nor takes a lock under which somebody else enters one.
 *
 * Return: false if the device is gone, or does not wake up.
 */
bool ppu_enter(struct ppu_device *ppu, int *idx)
{
	struct ppu_gate *gate = &ppu->gate;

	might_sleep();
	ppu_gate_map_read(gate);
	if (!ppu_gate_is_gone(ppu) && !ppu_awake_get(ppu)) {
		do {
			if (ppu_gate_begin(ppu, &gate->closing, idx))
				return true;
			wait_event(gate->wait, !READ_ONCE(gate->closing) || ppu_gate_is_gone(ppu));
		} while (!ppu_gate_is_gone(ppu));
		ppu_awake_put(ppu);
	}
	ppu_gate_map_release(gate);
	return false;
}

/** ppu_exit - end a section of ppu_enter() */
void ppu_exit(struct ppu_device *ppu, int idx)
{
	srcu_read_unlock(&ppu->gate.srcu, idx);
	ppu_gate_map_release(&ppu->gate);
	ppu_awake_put(ppu);
}

/** ppu_not_entered - the error to return when ppu_try_enter() has failed */
int ppu_not_entered(struct ppu_device *ppu)
{
	return ppu_gate_is_gone(ppu) ? -ENODEV : -EIO;
}

/** ppu_gate_drain - end the sections that wait; others still may begin */
void ppu_gate_drain(struct ppu_device *ppu)
{
	struct ppu_gate *gate = &ppu->gate;

	ppu_gate_map_write(gate);
	WRITE_ONCE(gate->closing, true);
	synchronize_srcu(&gate->srcu);
}

/**
 * ppu_gate_close - end all sections
 * @ppu: device
 *
 * After ppu_gate_drain(), until ppu_gate_open().  Or the device falls asleep, which it does only
 * while there is no section that waits, until ppu_gate_wake().
 */
void ppu_gate_close(struct ppu_device *ppu)
{
	WRITE_ONCE(ppu->gate.closed, true);
	synchronize_srcu(&ppu->gate.srcu);
}

/** ppu_gate_wake - the device answers: sections that do not wait may begin */
void ppu_gate_wake(struct ppu_device *ppu)
{
	WRITE_ONCE(ppu->gate.closed, false);
}

/** ppu_gate_hand_over - lockdep: a closed gate stays closed, and another task may open it */
void ppu_gate_hand_over(struct ppu_device *ppu)
{
	ppu_gate_map_release(&ppu->gate);
}

/** ppu_gate_take_over - lockdep: undo ppu_gate_hand_over(), perhaps in another task */
void ppu_gate_take_over(struct ppu_device *ppu)
{
	ppu_gate_map_write(&ppu->gate);
}

/** ppu_gate_open - the device answers */
void ppu_gate_open(struct ppu_device *ppu)
{
	struct ppu_gate *gate = &ppu->gate;

	WRITE_ONCE(gate->closed, false);
	WRITE_ONCE(gate->closing, false);
	wake_up_all(&gate->wait);
	ppu_gate_map_release(gate);
}

/** ppu_gate_is_closed - is the device being reset, or asleep?  The caller has its device_lock(). */
bool ppu_gate_is_closed(struct ppu_device *ppu)
{
	return READ_ONCE(ppu->gate.closing);
}

/**
 * ppu_gate_leave - before drm_dev_unplug(): nobody waits for the device any more
 * @ppu: device
 *
 * drm_dev_unplug() waits for readers of debugfs files, and they may wait for the device.
 */
void ppu_gate_leave(struct ppu_device *ppu)
{
	WRITE_ONCE(ppu->gate.left, true);
	wake_up_all(&ppu->gate.wait);
}

/** ppu_gate_unplug - after drm_dev_unplug(): end all sections, for ever */
void ppu_gate_unplug(struct ppu_device *ppu)
{
	/* Sections that begin from here on see that the device is gone. */
	synchronize_srcu(&ppu->gate.srcu);
}
