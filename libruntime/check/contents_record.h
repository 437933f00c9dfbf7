/* SPDX-License-Identifier: MIT */
/* How contents of memory are written in a record, for who writes and who reads them. */
#ifndef PPU_CHECK_CONTENTS_RECORD_H
#define PPU_CHECK_CONTENTS_RECORD_H

#define CHK_CONTENTS_WHOLE	65536u	/* bytes of memory that are told one by one; of larger memory a number for each piece */
#define CHK_CONTENTS_PIECE	256u	/* bytes */

#endif
