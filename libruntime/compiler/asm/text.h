/* SPDX-License-Identifier: MIT */
/*
 * The text form of instructions: names of modifier values, shared by assembler, disassembler and
 * documentation.  Operand order comes from the syntax strings of PPU_FORMATS().
 *
 * PPU_MODS(): instruction, field, lowest bit and width inside the field, group of names, default.
 * Default PPU_MOD_REQUIRED: a suffix of the group must be written.  Any other default is the value when no
 * suffix of the group is written; the disassembler does not print its name.
 */
#ifndef PPU_ISA_TEXT_H
#define PPU_ISA_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <hw/ppu_isa_check.h>

#define PPU_MOD_REQUIRED 0xff

/* Names of groups that ppu_isa.h has no list for: group(N) N(value, text). */
#define PPU_NAMES_BOOL(N)	N(0, "and") N(1, "or") N(2, "xor")
#define PPU_NAMES_PLOP(N)	N(PPU_PLOP_AND, "and") N(PPU_PLOP_OR, "or") \
				N(PPU_PLOP_XOR, "xor") N(PPU_PLOP_MOV, "mov")
#define PPU_NAMES_VEC(N)	N(PPU_VEC_1, "v1") N(PPU_VEC_2, "v2") N(PPU_VEC_4, "v4")
#define PPU_NAMES_MO(N)	N(PPU_MO_WEAK, "weak") N(PPU_MO_VOLATILE, "volatile") \
				N(PPU_MO_RELAXED, "relaxed") N(PPU_MO_ACQUIRE, "acquire") \
				N(PPU_MO_RELEASE, "release") N(PPU_MO_ACQ_REL, "acq_rel") \
				N(PPU_MO_SC, "sc")
#define PPU_NAMES_SCOPE(N)	N(PPU_SCOPE_CTA >> 3, "cta") N(PPU_SCOPE_GPU >> 3, "gpu") \
				N(PPU_SCOPE_SYS >> 3, "sys")
#define PPU_NAMES_DIR(N)	N(0, "l") N(1, "r")
#define PPU_NAMES_CLAMP(N)	N(0, "wrap") N(1, "clamp")
#define PPU_NAMES_WRAP(N)	N(0, "clamp") N(1, "wrap")
#define PPU_NAMES_PRMT(N)	N(PPU_PRMT_IDX, "idx") N(PPU_PRMT_F4E, "f4e") \
				N(PPU_PRMT_B4E, "b4e") N(PPU_PRMT_RC8, "rc8") \
				N(PPU_PRMT_ECL, "ecl") N(PPU_PRMT_ECR, "ecr") \
				N(PPU_PRMT_RC16, "rc16")
#define PPU_NAMES_VOTE(N)	N(PPU_VOTE_ALL, "all") N(PPU_VOTE_ANY, "any") \
				N(PPU_VOTE_UNI, "uni") N(PPU_VOTE_BALLOT, "ballot")
#define PPU_NAMES_MEMBERS(N)	N(0, "mask") N(1, "active")
#define PPU_NAMES_SHFL(N)	N(PPU_SHFL_UP, "up") N(PPU_SHFL_DOWN, "down") \
				N(PPU_SHFL_BFLY, "bfly") N(PPU_SHFL_IDX, "idx")
#define PPU_NAMES_SHFLMASK(N)	N(0, "active") N(1, "mask") N(2, "full")
#define PPU_NAMES_MATCH(N)	N(PPU_MATCH_ANY, "any") N(PPU_MATCH_ALL, "all")
#define PPU_NAMES_BAR(N)	N(PPU_BAR_SYNC, "sync") N(PPU_BAR_ARRIVE, "arrive") \
				N(PPU_BAR_RED_POPC, "popc") N(PPU_BAR_RED_AND, "and") \
				N(PPU_BAR_RED_OR, "or")
#define PPU_NAMES_FN(N)		N(PPU_FN_FULL, "full") N(PPU_FN_APPROX, "approx")
#define PPU_NAMES_LOHI(N)	N(0, "lo") N(1, "hi")
#define PPU_NAMES_SHIFTAMT(N)	N(0, "pos") N(1, "shiftamt")
#define PPU_NAMES_SUM(N)	N(0, "bytes") N(1, "add")
#define PPU_NAMES_CO(N)		N(0, "nco") N(1, "co")
#define PPU_NAMES_CI(N)		N(0, "nci") N(1, "ci")
#define PPU_NAMES_NAN(N)	N(0, "nonan") N(1, "nan")
#define PPU_NAMES_XORSIGN(N)	N(0, "nosign") N(1, "xorsign_abs")
#define PPU_NAMES_RELU(N)	N(0, "norelu") N(1, "relu")
#define PPU_NAMES_RINT(N)	N(0, "norint") N(1, "rint")
#define PPU_NAMES_CVTA(N)	N(0, "from") N(1, "to")
#define PPU_NAMES_RND(N)	N(PPU_RND_RN, "rn") N(PPU_RND_RZ, "rz") N(PPU_RND_RM, "rm") \
				N(PPU_RND_RP, "rp")
/* Groups with a list in ppu_isa.h. */
#define PPU_N3(name, code, text) PPU_N_(code, text)
#define PPU_NAMES_TESTP(N)	PPU_TESTP_CLASSES(PPU_N3)
#define PPU_NAMES_CMP(N)	PPU_CMPS(PPU_N3)
#define PPU_NAMES_SPACE(N)	PPU_SPACES(PPU_N3)
#define PPU_NAMES_ATOM(N)	PPU_ATOMS(PPU_N3)
#define PPU_NAMES_REASON(N)	PPU_REASONS(PPU_N3)

#define PPU_NAME_GROUPS(G) \
G(BOOL) G(PLOP) G(VEC) G(MO) G(SCOPE) G(DIR) G(CLAMP) G(WRAP) G(PRMT) G(VOTE) G(MEMBERS) G(SHFL) \
G(SHFLMASK) G(MATCH) G(BAR) G(FN) G(LOHI) G(SHIFTAMT) G(SUM) G(TESTP) G(CO) G(CI) G(NAN) \
G(XORSIGN) G(RELU) G(RINT) G(CVTA) G(RND) G(CMP) G(SPACE) G(ATOM) G(REASON)

enum ppu_name_group {
#define G(group) PPU_NG_##group,
	PPU_NAME_GROUPS(G)
#undef G
	PPU_NG_COUNT
};

#define PPU_MODS(A) \
A(SETP, M, 0, 5, CMP, PPU_MOD_REQUIRED)   A(SETP, X, 0, 4, BOOL, 0) \
A(SET, M, 0, 5, CMP, PPU_MOD_REQUIRED)    A(SET, X, 0, 4, BOOL, 0) \
A(TESTP, M, 0, 5, TESTP, PPU_MOD_REQUIRED) \
A(ISSPACE, M, 0, 5, SPACE, PPU_MOD_REQUIRED) \
A(PLOP, M, 0, 5, PLOP, PPU_MOD_REQUIRED) \
A(ADD, M, 0, 1, CO, 0)    A(ADD, M, 1, 1, CI, 0) \
A(SUB, M, 0, 1, CO, 0)    A(SUB, M, 1, 1, CI, 0) \
A(MAD, M, 0, 1, CO, 0)    A(MAD, M, 1, 1, CI, 0) \
A(MADHI, M, 0, 1, CO, 0)  A(MADHI, M, 1, 1, CI, 0) \
A(MUL24, M, 0, 5, LOHI, 0) A(MAD24, M, 0, 5, LOHI, 0) \
A(FMA, Y, 0, 1, RELU, 0)  A(CVT2, Y, 0, 1, RELU, 0)  A(CVT, Y, 0, 1, RINT, 0) \
A(DIV, M, 0, 5, FN, 0)    A(RCP, M, 0, 5, FN, 0)     A(SQRT, M, 0, 5, FN, 0) \
A(RSQRT, M, 0, 5, FN, 0)  A(SIN, M, 0, 5, FN, 0)     A(COS, M, 0, 5, FN, 0) \
A(EX2, M, 0, 5, FN, 0)    A(LG2, M, 0, 5, FN, 0)     A(TANH, M, 0, 5, FN, 0) \
A(MIN, Y, 0, 1, NAN, 0)   A(MIN, Y, 1, 1, XORSIGN, 0) \
A(MAX, Y, 0, 1, NAN, 0)   A(MAX, Y, 1, 1, XORSIGN, 0) \
A(SHF, M, 0, 1, DIR, PPU_MOD_REQUIRED)    A(SHF, M, 1, 1, CLAMP, 0) \
A(PRMT, M, 0, 5, PRMT, 0) A(BFIND, M, 0, 5, SHIFTAMT, 0) A(BMSK, M, 0, 5, WRAP, 0) \
A(DP2A, M, 0, 5, LOHI, 0) A(VABSDIFF4, M, 0, 5, SUM, 0) \
A(CVTA, M, 0, 5, SPACE, PPU_MOD_REQUIRED) A(CVTA, Y, 0, 1, CVTA, 0) \
A(LD, M, 0, 5, SPACE, 0)  A(LD, X, 0, 4, VEC, 0)  A(LD, Y, 0, 3, MO, 0)  A(LD, Y, 3, 2, SCOPE, 0) \
A(ST, M, 0, 5, SPACE, 0)  A(ST, X, 0, 4, VEC, 0)  A(ST, Y, 0, 3, MO, 0)  A(ST, Y, 3, 2, SCOPE, 0) \
A(ATOM, M, 0, 5, SPACE, 0) A(ATOM, U, 0, 5, ATOM, PPU_MOD_REQUIRED) \
A(ATOM, Y, 0, 3, MO, 0)  A(ATOM, Y, 3, 2, SCOPE, 0) \
A(MEMBAR, Y, 0, 3, MO, 0) A(MEMBAR, Y, 3, 2, SCOPE, 0) \
A(PREFETCH, M, 0, 5, SPACE, 0) \
A(PUSH, X, 0, 4, REASON, PPU_MOD_REQUIRED) A(DISABLE, X, 0, 4, REASON, PPU_MOD_REQUIRED) \
A(BAR, M, 0, 5, BAR, PPU_MOD_REQUIRED) \
A(VOTE, M, 0, 5, VOTE, PPU_MOD_REQUIRED)  A(VOTE, X, 0, 4, MEMBERS, 0) \
A(SHFL, M, 0, 5, SHFL, PPU_MOD_REQUIRED)  A(SHFL, X, 0, 4, SHFLMASK, 0) \
A(MATCH, M, 0, 5, MATCH, PPU_MOD_REQUIRED) \
A(REDUX, U, 0, 5, ATOM, PPU_MOD_REQUIRED)

struct ppu_mod {
	uint8_t op, field, low, width, group, def;
};
extern const struct ppu_mod ppu_mods[];	/* in order of the list, grouped by instruction */
extern const unsigned ppu_num_mods;
/* Returns how many entries an instruction has; *first: the first of them in ppu_mods. */
unsigned ppu_mods_of(unsigned op, unsigned *first);

const char *ppu_group_text(unsigned group, unsigned value);	/* NULL: no such value */
const char *ppu_group_title(unsigned group);
int ppu_group_value(unsigned group, const char *text, size_t len);	/* -1: no such name */
const char *ppu_type_text(unsigned t);
int ppu_type_value(const char *text, size_t len);
const char *ppu_sreg_text(unsigned n);
int ppu_sreg_value(const char *text, size_t len);
int ppu_opcode_value(const char *mnemonic, size_t len);
const char *ppu_format_name(unsigned fmt);
const char *ppu_format_fields(unsigned fmt);
const char *ppu_format_syntax(unsigned fmt);

uint32_t ppu_field_get(const struct ppu_insn *in, unsigned field);
void ppu_field_set(struct ppu_insn *in, unsigned field, uint32_t v);
unsigned ppu_field_width(unsigned field);
/* The type of an immediate operand b (is_c: c), PPU_T_*. */
unsigned ppu_imm_type(const struct ppu_insn *in, int is_c);

#endif
