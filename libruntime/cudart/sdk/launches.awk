# SPDX-License-Identifier: MIT
#
# Takes the blanks out of the brackets of launches, "<< <" and ">> >", but not in strings and comments.  The lines stay
# what they are, so that messages name the right ones.
#
# "__shared__ alignas(16) float a[4]" becomes "alignas(16) __shared__ float a[4]": clang wants alignas first.
#
# A ">> >" is a launch's when a "<< <" or "<<<" came before it: elsewhere it ends a list of template arguments.
BEGIN { state = ""; open = 0 }
{
	out = ""
	n = length($0)
	for (i = 1; i <= n; i++) {
		c = substr($0, i, 1)
		rest = substr($0, i)
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
		} else if (match(rest, /^<<[ \t]*</)) {
			open++
			out = out "<<<"
			i += RLENGTH - 1
			continue
		} else if (open && match(rest, /^>>[ \t]*>/)) {
			open--
			out = out ">>>"
			i += RLENGTH - 1
			continue
		}
		out = out c
		i += length(c) - 1
	}
	# a string ends with its line, unless a backslash goes on
	if ((state == "\"" || state == "'") && substr($0, n) != "\\")
		state = ""
	print out
}
