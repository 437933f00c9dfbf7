/* SPDX-License-Identifier: MIT */
/* Native binaries and assembler text as hostile input: read, link, finish, disassemble, write. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ppu_image *img, *dst;
	struct ppu_log log;
	uint8_t *bytes;
	char *text;
	size_t len;
	int err;

	ppu_log_init(&log);
	if (size >= 4 && !memcmp(data, "PPUB", 4))
		err = ppu_image_read(data, size, &img, &log);
	else
		err = ppu_assemble((const char *)data, size, "fuzz", &img, &log);
	if (err) {
		ppu_log_free(&log);
		return 0;
	}
	if (img->data_bytes < 1 << 20) {
		if (ppu_image_write(img, &bytes, &len))
			abort();
		free(bytes);
		if (ppu_disassemble(img, &text))
			abort();
		free(text);
		dst = ppu_image_new();
		if (!ppu_image_link(dst, img, &log) && !ppu_image_finish(dst, &ppu_device_library, &log)) {
			struct ppu_image *again;

			/* the reader accepts what the linker made */
			if (ppu_image_write(dst, &bytes, &len))
				abort();
			if (ppu_image_read(bytes, len, &again, &log))
				abort();
			ppu_image_free(again);
			free(bytes);
		}
		ppu_image_free(dst);
	}
	ppu_image_free(img);
	ppu_log_free(&log);
	return 0;
}
