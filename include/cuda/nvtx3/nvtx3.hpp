// SPDX-License-Identifier: MIT
// NVTX 3 for C++: ranges that end with their scope.
#ifndef PPU_NVTX3_HPP
#define PPU_NVTX3_HPP

#include <string>
#include <nvtx3/nvToolsExt.h>

namespace nvtx3 {

class scoped_range {
public:
	explicit scoped_range(const char *message) { nvtxRangePushA(message); }
	explicit scoped_range(const std::string &message) { nvtxRangePushA(message.c_str()); }
	explicit scoped_range(const wchar_t *message) { nvtxRangePushW(message); }
	scoped_range(const scoped_range &) = delete;
	scoped_range &operator=(const scoped_range &) = delete;
	~scoped_range() { nvtxRangePop(); }
};

class unique_range {
public:
	explicit unique_range(const char *message) : id(nvtxRangeStartA(message)) {}
	explicit unique_range(const std::string &message) : id(nvtxRangeStartA(message.c_str())) {}
	unique_range(unique_range &&other) noexcept : id(other.id) { other.id = 0; }
	unique_range(const unique_range &) = delete;
	unique_range &operator=(const unique_range &) = delete;
	~unique_range() { if (id) nvtxRangeEnd(id); }
private:
	nvtxRangeId_t id;
};

inline void mark(const char *message) { nvtxMarkA(message); }
inline void mark(const std::string &message) { nvtxMarkA(message.c_str()); }

}

#define NVTX3_FUNC_RANGE() ::nvtx3::scoped_range nvtx3_func_range__(__func__)

#endif
