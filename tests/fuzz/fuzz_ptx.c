/* SPDX-License-Identifier: MIT */
/* PTX text as hostile input: compile with the verifier on, then link, finish and list. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ppu_ptx_options opt = { .verify = 1, .max_regs = size & 1 ? 32 : 0 };
	struct ppu_image *img;
	struct ppu_log log;
	char *text;

	ppu_log_init(&log);
	if (!ppu_ptx_compile((const char *)data, size, "fuzz", &opt, &img, &log)) {
		if (img->data_bytes < 1 << 20 && !ppu_image_finish(img, &ppu_device_library, &log) &&
		    !ppu_disassemble(img, &text))
			free(text);
		ppu_image_free(img);
	}
	if (log.text && strstr(log.text, "internal error"))
		abort();
	ppu_log_free(&log);
	return 0;
}
