// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PPU driver core: faults.
 */

#include "fault.h"

enum ppu_err_scope { CH, CTX, NOTE };

static const struct {
	u32 code;
	enum ppu_err_scope scope;
} ppu_err_scopes[] = {
#define E(name, code, scope, text) { code, scope },
	PPU_ERRS(E)
#undef E
};

/** ppu_err_ends_context - does an error, PPU_ERR_*, end the context it happened in? */
bool ppu_err_ends_context(u32 code)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ppu_err_scopes); i++)
		if (ppu_err_scopes[i].code == code)
			return ppu_err_scopes[i].scope == CTX;
	/* An unknown error of a later device: ending the context is the safe side. */
	return code >= PPU_ERR_MMU_UNMAPPED;
}

/**
 * ppu_err_channel_end - how a channel ends that the device has stopped
 * @error: CH_ERROR of the channel
 * @guilty: a fault record of the context named the channel
 *
 * Return: PPU_END_NONE if there is no error.
 */
enum ppu_end ppu_err_channel_end(u32 error, bool guilty)
{
	if (!error)
		return PPU_END_NONE;
	if (error == PPU_ERR_CTX_STOPPED || (ppu_err_ends_context(error) && !guilty))
		return PPU_END_INNOCENT;
	return PPU_END_FAULTED;
}

/**
 * ppu_err_owner_end - how the owner of a device-owned queue ends
 * @queue: how the queue ended
 *
 * Whoever stops a queue on purpose may go on with its owner.
 *
 * Return: PPU_END_STOPPED, or PPU_END_NONE.
 */
enum ppu_end ppu_err_owner_end(enum ppu_end queue)
{
	return queue == PPU_END_FAULTED || queue == PPU_END_INNOCENT ? PPU_END_STOPPED :
								       PPU_END_NONE;
}

/**
 * ppu_fault_next - read the oldest fault record and give its place back
 * @bus: how to reach the device
 * @dev: device; the FAULT_* registers are the caller's
 * @rec: gets the record
 *
 * Return: false: there is no record.
 */
bool ppu_fault_next(const struct ppu_bus *bus, void *dev, struct ppu_fault_rec *rec)
{
	u32 *word = (u32 *)rec, get = bus->rd(dev, PPU_REG_FAULT_GET), i;

	if (get == bus->rd(dev, PPU_REG_FAULT_PUT))
		return false;
	bus->wr(dev, PPU_REG_FAULT_SEL, 0);
	for (i = 0; i < PPU_FAULT_REC_WORDS; i++)
		word[i] = bus->rd(dev, PPU_REG_FAULT_DATA);
	bus->wr(dev, PPU_REG_FAULT_GET, (get + 1) % PPU_FAULT_RING);
	return true;
}
