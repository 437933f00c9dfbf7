/* SPDX-License-Identifier: MIT */
/* Instructions with a syntax of their own: calls, textures and surfaces. */
#ifndef PX_FORMS_H
#define PX_FORMS_H

#include "compiler/ptx/front/px_inst.h"

struct px_proto;

struct px_call {
	struct px_opn *rets, *args;
	uint32_t nrets, nargs, cap_rets, cap_args;
	struct px_opn target;
	struct px_proto *proto;
};

struct px_texture_opns {
	uint8_t dims;		/* coordinates that are filtered; of a cube: the three of a direction */
	bool layered, cube;
	struct px_opn data;	/* registers that are read to or written from */
	struct px_opn handle, coord[4];
	uint32_t n;		/* coordinates */
	struct px_opn lod;	/* .level */
	struct px_opn gradient[2][3];	/* .grad: what the coordinates change by per pixel, to the right and down */
};

/* call (results), function, (arguments), prototype; sets in->call.  False: reported. */
bool px_parse_call(struct px_module *m, struct px_inst *in);
/* tex, tld4, suld, sust, txq, suq: sets in->texture.  False: reported. */
bool px_parse_texture(struct px_module *m, struct px_inst *in);

#endif
