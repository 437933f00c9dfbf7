/* SPDX-License-Identifier: MIT */
/*
 * A picture that kernels refine. A kernel fills a square whose border has one colour; for any other square it launches
 * four kernels, one for each quarter. mandelbrot-adaptive.png shows the set; a pixel is brighter if it was settled at a
 * deeper level. The file goes to the directory given as argument (default: the guest's share, or the current
 * directory).
 */
#include <png.h>
#include <string.h>
#include <unistd.h>
#include "common.h"
#include "mandelbrot.h"

#define W	512u		/* and height: a power of two */
#define LIMIT	96u
#define X0	-2.1f
#define Y0	-1.4f
#define STEP	(2.8f / W)
#define THREADS	64u
#define LEVELS	7u		/* squares of 512, 256, ... 8 pixels */

struct picture {		/* the same structure as in the kernels */
	uint64_t count, level;
	uint32_t width;
	float x0, y0, step;
	uint32_t limit;
	uint64_t computed, errors;
};

static int write_png(const char *path, const uint32_t *count, const uint8_t *level)
{
	static uint8_t rgb[W][W][3];
	png_image img;

	for (uint32_t i = 0; i < W * W; i++) {
		uint32_t v = count[i], light = 24u * level[i];
		uint8_t *p = rgb[i / W][i % W];

		p[0] = (uint8_t)(light + (v == LIMIT ? 0 : v > 28 ? 84 : v * 3));
		p[1] = (uint8_t)(light / 2 + (v == LIMIT ? 0 : v > 28 ? 84 : v * 3));
		p[2] = (uint8_t)(32 + (v == LIMIT ? 0 : light + (v > 18 ? 54 : v * 3)));
	}
	memset(&img, 0, sizeof(img));
	img.version = PNG_IMAGE_VERSION;
	img.width = img.height = W;
	img.format = PNG_FORMAT_RGB;
	return png_image_write_to_file(&img, path, 0, rgb, 0, NULL);
}

static uint32_t nesting_depth(void)
{
	ppuDeviceProp prop;
	uint64_t depth;

	CHECK(ppuDeviceGetProperties(&prop, 0));
	depth = prop.device_priorities && prop.device_priorities < LEVELS ? prop.device_priorities : LEVELS;
	CHECK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, depth));
	return (uint32_t)depth;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : access("/mnt/share", W_OK) ? "." : "/mnt/share";
	uint32_t *count = host_alloc(W * W * 4), depth = nesting_depth(), differ = 0, deepest = 0, written, tally[2], at = 0,
		 size = W;
	uint8_t *level = host_alloc(W * W);
	void *dev[3] = { device_alloc(W * W * 4), device_alloc(W * W), device_alloc(sizeof(tally)) };
	struct picture p = {
		.count = (uintptr_t)dev[0], .level = (uintptr_t)dev[1], .width = W, .x0 = X0, .y0 = Y0, .step = STEP,
		.limit = LIMIT, .computed = (uintptr_t)dev[2], .errors = (uintptr_t)dev[2] + 4,
	};
	void *args[] = { &p, &at, &at, &size };
	ppuFunction fn = load_kernel("mandelbrot_adaptive", "mandelbrot_square");
	char path[4096];

	CHECK(ppuMemset(dev[0], 0xff, 1, W * W * 4));
	CHECK(ppuMemset(dev[2], 0, 4, 2));
	CHECK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, args, NULL, 0));
	CHECK(ppuMemcpy(count, dev[0], W * W * 4));
	CHECK(ppuMemcpy(level, dev[1], W * W));
	CHECK(ppuMemcpy(tally, dev[2], sizeof(tally)));
	for (uint32_t i = 0; i < W * W; i++) {
		differ += count[i] != mandelbrot_reference(X0, Y0, STEP, LIMIT, i % W, i / W);
		if (level[i] > deepest)
			deepest = level[i];
	}
	snprintf(path, sizeof(path), "%s/mandelbrot-adaptive.png", dir);
	written = (uint32_t)write_png(path, count, level);
	/* Less than 1 % of the pixels may differ: by a thin part of the set that no border meets, or by rounding. */
	return finish(differ < W * W / 100 && tally[0] < W * W && !tally[1] && deepest == depth && written,
		      "mandelbrot-adaptive: %u x %u pixels, %u of them computed, on %u levels of kernels; %u differ from the "
		      "reference, %u launches failed, %s %s", W, W, tally[0], deepest, differ, tally[1],
		      written ? "written to" : "cannot write", path);
}
