/* SPDX-License-Identifier: MIT */
/* A picture: mandelbrot.png in the directory given as argument (default: the guest's share, or the current one). */
#include <png.h>
#include <string.h>
#include <unistd.h>
#include "common.h"
#include "mandelbrot.h"

#define W	384u
#define H	256u
#define LIMIT	96u
#define X0	-2.2f
#define Y0	-1.28f
#define STEP	0.01f

static int write_png(const char *path, const uint32_t *it)
{
	static uint8_t rgb[H][W][3];
	png_image img;

	for (uint32_t i = 0; i < W * H; i++) {
		uint32_t v = it[i];
		uint8_t *p = rgb[i / W][i % W];

		p[0] = v == LIMIT ? 0 : (uint8_t)(v * 9);
		p[1] = v == LIMIT ? 0 : (uint8_t)(v * 5);
		p[2] = v == LIMIT ? 0 : (uint8_t)(64 + v * 2);
	}
	memset(&img, 0, sizeof(img));
	img.version = PNG_IMAGE_VERSION;
	img.width = W;
	img.height = H;
	img.format = PNG_FORMAT_RGB;
	return png_image_write_to_file(&img, path, 0, rgb, 0, NULL);
}

int main(int argc, char **argv)
{
	ppuFunction fn = load_kernel("mandelbrot", "mandelbrot");
	const char *dir = argc > 1 ? argv[1] : access("/mnt/share", W_OK) ? "." : "/mnt/share";
	uint32_t *it = host_alloc(W * H * 4);
	void *dev = device_alloc(W * H * 4);
	uint32_t w = W, h = H, limit = LIMIT, differ = 0, inside = 0;
	float x0 = X0, y0 = Y0, step = STEP;
	void *args[] = { &dev, &w, &h, &x0, &y0, &step, &limit };
	char path[4096];
	int written;

	CHECK(ppuLaunchKernel(fn, ppuDim(W / 16, H / 16, 1), ppuDim(16, 16, 1), 0, NULL, args, NULL, 0));
	CHECK(ppuMemcpy(it, dev, W * H * 4));
	for (uint32_t i = 0; i < W * H; i++) {
		differ += it[i] != mandelbrot_reference(X0, Y0, STEP, LIMIT, i % W, i / W);
		inside += it[i] == LIMIT;
	}
	snprintf(path, sizeof(path), "%s/mandelbrot.png", dir);
	written = write_png(path, it);
	/* Less than 1 % of the pixels may differ from the reference in double precision. */
	return finish(differ < W * H / 100 && inside > 1000 && written,
		      "mandelbrot: %u x %u pixels, %u inside, %u at the edge differ from the reference, %s %s", W, H,
		      inside, differ, written ? "written to" : "cannot write", path);
}
