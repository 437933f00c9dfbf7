# SPDX-License-Identifier: MIT
#
# Takes the blanks out of the brackets of launches, "<< <" and ">> >", but not in strings and comments.  The lines stay
# what they are, so that messages name the right ones.
#
# "__shared__ alignas(16) float a[4]" becomes "alignas(16) __shared__ float a[4]": clang wants alignas first.
#
# "r"(a) "l"(b), operands of an asm without a comma between them, get one.
#
# "mov.u32 %0, %laneid;" in an asm becomes "mov.u32 %0, %%laneid;": nvcc takes a register of the device with one %, too.
#
# A ">> >" is a launch's when a "<< <" or "<<<" came before it: elsewhere it ends a list of template arguments.
#
# A launch in the body of a __global__ or __device__ function, "k<<<1, 32>>>(p)", becomes
# "::ppu_launch<decltype(k), k>(1, 32)(p)" (cuda_device_runtime_api.h): clang has no launches by threads.  Where a body
# begins and ends is told by the braces; a brace at the begin of a line ends all.  Of the branches of an #if each begins
# where the first did.  What a macro is defined as is left alone.
# With -v everywhere=1 all bodies are such: libnvrtc's sources have no host code.

# Where the name of the kernel begins with which this text ends; 0: it ends with none.
function name_at(text,   i, depth, round, c)
{
	i = length(text)
	while (i && substr(text, i, 1) ~ /[ \t]/)
		i--
	if (substr(text, i, 1) == ">") {
		for (depth = round = 0; i; i--) {
			c = substr(text, i, 1)
			round += (c == ")") - (c == "(")
			if (!round)
				depth += (c == ">") - (c == "<")
			if (!depth)
				break
		}
		i--
	}
	if (i < 1 || substr(text, i, 1) !~ /[A-Za-z0-9_]/)
		return 0
	while (i && substr(text, i, 1) ~ /[A-Za-z0-9_:]/)
		i--
	return i + 1
}

# A character of code outside of strings and comments, and what follows: in whose body are we?
function follow(c, rest, at_begin)
{
	if (c == "{") {
		body[depth++] = in_device
		in_device = in_device || (device && !host)
	} else if (c == "}") {
		depth = at_begin || !depth ? 0 : depth - 1
		in_device = depth ? body[depth] : everywhere
	} else if (c != ";") {
		device = device || rest ~ /^__(global|device)__/
		host = host || rest ~ /^__host__/
		return
	}
	device = host = 0
}

BEGIN {
	state = ""; open = 0; depth = 0; in_device = everywhere; device = 0; host = 0; macro = 0; ifs = 0; in_asm = 0
	special = "^%(n?(tid|ctaid|warpid|smid)|laneid|gridid|lanemask_[egl][qet]|clock|clock64|clock_hi|globaltimer|globaltimer_(lo|hi)|" \
		"(cluster_)?n?ctaid|dynamic_smem_size|total_smem_size|pm[0-7]|envreg[0-9]+)([^A-Za-z0-9_]|$)"
}

# A line of the preprocessor: a brace that each branch opens is one brace.
function branch(line)
{
	if (line ~ /^[ \t]*#[ \t]*if/) {
		ifs++
		depth_at[ifs] = depth
		in_at[ifs] = in_device
		device_at[ifs] = device
		host_at[ifs] = host
	} else if (ifs && line ~ /^[ \t]*#[ \t]*el/) {
		depth = depth_at[ifs]
		in_device = in_at[ifs]
		device = device_at[ifs]
		host = host_at[ifs]
	} else if (ifs && line ~ /^[ \t]*#[ \t]*endif/) {
		ifs--
	}
}

# Long tables of numbers have nothing to look at.
state == "" && !macro && /^[-+0-9A-Fa-fxXUuLl., \t]*$/ { print; next }
{
	if (state == "" && !macro)
		branch($0)
	out = ""
	n = length($0)
	macro = macro || (state == "" && /^[ \t]*#/)
	for (i = 1; i <= n; i++) {
		c = substr($0, i, 1)
		rest = substr($0, i)
		if (state == "" && c == ";")
			in_asm = 0
		else if (state == "" && rest ~ /^(__)?asm(__)?[ \t(]/ && (i == 1 || substr($0, i - 1, 1) !~ /[A-Za-z0-9_]/))
			in_asm = 1
		if (state == "comment") {
			if (substr(rest, 1, 2) == "*/") {
				state = ""
				c = "*/"
			}
		} else if (state == "raw") {
			if (index(rest, raw_end) == 1) {
				state = ""
				c = raw_end
			}
		} else if (state == "\"" || state == "'") {
			if (c == "\\")
				c = substr(rest, 1, 2)
			else if (c == state)
				state = ""
			else if (substr(rest, 1, 2) == "%%")
				c = "%%"
			else if (in_asm && c == "%" && /%[0-9]/ && rest ~ special) {
				out = out "%%"
				continue
			}
		} else if (substr(rest, 1, 2) == "//") {
			c = rest
		} else if (substr(rest, 1, 2) == "/*") {
			state = "comment"
			c = "/*"
		} else if (match(rest, /^R"[^ ()\\\t]*\(/)) {
			state = "raw"
			c = substr(rest, 1, RLENGTH)
			raw_end = ")" substr(c, 3, RLENGTH - 3) "\""
		} else if (match(rest, /^[0-9][0-9a-fA-FxX']*/)) {
			c = substr(rest, 1, RLENGTH)	# 1'000: no character begins here
		} else if (c == "\"" || c == "'") {
			state = c
		} else if (match(rest, /^__shared__[ \t]+alignas[ \t]*\(([^()]|\([^()]*\))*\)/)) {
			c = substr(rest, 1, RLENGTH)
			sub(/^__shared__[ \t]+/, "", c)
			out = out c " __shared__"
			i += RLENGTH - 1
			continue
		} else if (rest ~ /^\)[ \t]*"[=+&]*[A-Za-z]+"[ \t]*\(/) {
			c = ")"
			out = out "),"
			follow(c, rest, i == 1)
			continue
		} else if (match(rest, /^<<[ \t]*</)) {
			i += RLENGTH - 1
			from = in_device && !macro ? name_at(out) : 0
			if (from) {
				kernel = substr(out, from)
				out = substr(out, 1, from - 1) "::ppu_launch<decltype(" kernel "), " kernel ">("
			} else {
				out = out "<<<"
			}
			by_thread[++open] = from
			continue
		} else if (open && match(rest, /^>>[ \t]*>/)) {
			out = out (by_thread[open--] ? ")" : ">>>")
			i += RLENGTH - 1
			continue
		} else if (!macro) {
			follow(c, rest, i == 1)
		}
		out = out c
		i += length(c) - 1
	}
	# a string ends with its line, unless a backslash goes on
	if ((state == "\"" || state == "'") && substr($0, n) != "\\")
		state = ""
	if (substr($0, n) != "\\")
		macro = 0
	print out
}
