/* SPDX-License-Identifier: MIT */
/* Loads and stores through surface objects.  x counts bytes. */
#ifndef PPU_SURFACE_INDIRECT_FUNCTIONS_H
#define PPU_SURFACE_INDIRECT_FUNCTIONS_H

#if defined(__cplusplus) && defined(__CUDA__)
#define CUDART_SURF_DEV_ static __inline__ __attribute__((device, always_inline, unused))
#define CUDART_STRIP2_(...) __VA_ARGS__

/* The instructions: one, two or four elements v[] at a place, whose operands come behind the surface's operand. */
#define CUDART_LOAD1_(type, letter, geom, place, at, mode) \
	__asm__ __volatile__("suld.b." geom "." type "." mode " {%0}, [%1, " place "];" \
			     : "=" letter(v[0]) : "l"(s), CUDART_STRIP2_ at : "memory")
#define CUDART_LOAD2_(type, letter, geom, place, at, mode) \
	__asm__ __volatile__("suld.b." geom ".v2." type "." mode " {%0, %1}, [%2, " place "];" \
			     : "=" letter(v[0]), "=" letter(v[1]) : "l"(s), CUDART_STRIP2_ at : "memory")
#define CUDART_LOAD4_(type, letter, geom, place, at, mode) \
	__asm__ __volatile__("suld.b." geom ".v4." type "." mode " {%0, %1, %2, %3}, [%4, " place "];" \
			     : "=" letter(v[0]), "=" letter(v[1]), "=" letter(v[2]), "=" letter(v[3]) \
			     : "l"(s), CUDART_STRIP2_ at : "memory")
#define CUDART_STORE1_(type, letter, geom, place, at, mode) \
	__asm__ __volatile__("sust.b." geom "." type "." mode " [%1, " place "], {%0};" \
			     : : letter(v[0]), "l"(s), CUDART_STRIP2_ at : "memory")
#define CUDART_STORE2_(type, letter, geom, place, at, mode) \
	__asm__ __volatile__("sust.b." geom ".v2." type "." mode " [%2, " place "], {%0, %1};" \
			     : : letter(v[0]), letter(v[1]), "l"(s), CUDART_STRIP2_ at : "memory")
#define CUDART_STORE4_(type, letter, geom, place, at, mode) \
	__asm__ __volatile__("sust.b." geom ".v4." type "." mode " [%4, " place "], {%0, %1, %2, %3};" \
			     : : letter(v[0]), letter(v[1]), letter(v[2]), letter(v[3]), "l"(s), CUDART_STRIP2_ at \
			     : "memory")

/* The instruction's name says what happens out of bounds. */
#define CUDART_BY_MODE_(what, ...) \
	do { \
		if (mode == cudaBoundaryModeZero) \
			what(__VA_ARGS__, "zero"); \
		else if (mode == cudaBoundaryModeClamp) \
			what(__VA_ARGS__, "clamp"); \
		else \
			what(__VA_ARGS__, "trap"); \
	} while (0)
#define CUDART_GEOMETRY_(dim, n, ctype, letter, type, geom, place, at) \
	CUDART_SURF_DEV_ void load##dim(ctype *v, cudaSurfaceObject_t s, int x, int y, int z, \
					cudaSurfaceBoundaryMode mode) \
	{ \
		CUDART_BY_MODE_(CUDART_LOAD##n##_, type, letter, geom, place, at); \
	} \
	CUDART_SURF_DEV_ void store##dim(const ctype *v, cudaSurfaceObject_t s, int x, int y, int z, \
					 cudaSurfaceBoundaryMode mode) \
	{ \
		CUDART_BY_MODE_(CUDART_STORE##n##_, type, letter, geom, place, at); \
	}

/* How values of a given size are loaded and stored. */
template <int bytes> struct cudartSurf_;
#define CUDART_SURF_(bytes, n, ctype, letter, type, place1, place2, place3) \
template <> struct cudartSurf_<bytes> { \
	typedef ctype element; \
	CUDART_GEOMETRY_(1D, n, ctype, letter, type, "1d", place1, ("r"(x))) \
	CUDART_GEOMETRY_(2D, n, ctype, letter, type, "2d", place2, ("r"(x), "r"(y))) \
	CUDART_GEOMETRY_(3D, n, ctype, letter, type, "3d", place3, ("r"(x), "r"(y), "r"(z), "r"(0))) \
};
CUDART_SURF_(1, 1, unsigned short, "h", "b8", "{%2}", "{%2, %3}", "{%2, %3, %4, %5}")
CUDART_SURF_(2, 1, unsigned short, "h", "b16", "{%2}", "{%2, %3}", "{%2, %3, %4, %5}")
CUDART_SURF_(4, 1, unsigned int, "r", "b32", "{%2}", "{%2, %3}", "{%2, %3, %4, %5}")
CUDART_SURF_(8, 2, unsigned int, "r", "b32", "{%3}", "{%3, %4}", "{%3, %4, %5, %6}")
CUDART_SURF_(16, 4, unsigned int, "r", "b32", "{%5}", "{%5, %6}", "{%5, %6, %7, %8}")
#undef CUDART_SURF_

template <class T> struct cudartSurfValue_ {
	typedef cudartSurf_<sizeof(T)> how;
	typename how::element parts[sizeof(T) > 4 ? sizeof(T) / 4 : 1];
};

#define CUDART_SURF_NAMES_(dim, params, place) \
template <class T> CUDART_SURF_DEV_ T surf##dim##read(cudaSurfaceObject_t s, CUDART_STRIP2_ params, \
						      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
{ \
	cudartSurfValue_<T> u; \
	T r; \
	cudartSurf_<sizeof(T)>::load##dim(u.parts, s, CUDART_STRIP2_ place, mode); \
	__builtin_memcpy(&r, u.parts, sizeof(r)); \
	return r; \
} \
template <class T> CUDART_SURF_DEV_ void surf##dim##read(T *r, cudaSurfaceObject_t s, CUDART_STRIP2_ params, \
							 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
{ \
	cudartSurfValue_<T> u; \
	cudartSurf_<sizeof(T)>::load##dim(u.parts, s, CUDART_STRIP2_ place, mode); \
	__builtin_memcpy(r, u.parts, sizeof(*r)); \
} \
template <class T> CUDART_SURF_DEV_ void surf##dim##write(T v, cudaSurfaceObject_t s, CUDART_STRIP2_ params, \
							  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
{ \
	cudartSurfValue_<T> u = {}; \
	__builtin_memcpy(u.parts, &v, sizeof(v)); \
	cudartSurf_<sizeof(T)>::store##dim(u.parts, s, CUDART_STRIP2_ place, mode); \
}
CUDART_SURF_NAMES_(1D, (int x), (x, 0, 0))
CUDART_SURF_NAMES_(2D, (int x, int y), (x, y, 0))
CUDART_SURF_NAMES_(3D, (int x, int y, int z), (x, y, z))
#undef CUDART_SURF_NAMES_
#endif

#endif
