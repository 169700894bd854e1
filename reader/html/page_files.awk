# SPDX-License-Identifier: Apache-2.0
#
# Makes page_files.made.c. Input: page_hashes.tsv, then for each file a line "file NAME" and its bytes as
# `od -An -v -tu1` prints them.
BEGIN {
	print "/* Made by page_files.awk. */"
	print "#include \"reader/html/page_files.h\"\n"
	nr = 0
}
function part_of(name) {
	return name ~ /\.css$/ ? "PAGE_STYLE" : name ~ /\.html$/ ? "PAGE_MARKUP" : "PAGE_SCRIPT"
}
function end_file() {
	if (nr)
		print "};\n"
}
NR == FNR {
	if (NF == 2)
		hash[$1] = $2
	next
}
$1 == "file" {
	end_file()
	names[++nr] = $2
	print "static const uint8_t bytes_" nr "[] = {"
	next
}
{
	line = ""
	for (i = 1; i <= NF; i++)
		line = line $i ","
	print line
}
END {
	end_file()
	print "const struct page_file page_files[] = {"
	for (i = 1; i <= nr; i++) {
		base = names[i]
		sub(/.*\//, "", base)
		if (!(base in hash) && part_of(base) != "PAGE_MARKUP") {
			print "page_hashes.tsv lacks " base ": make page-hashes" | "cat >&2"
			exit 1
		}
		print "\t{" part_of(base) ", bytes_" i ", sizeof(bytes_" i "), \"" hash[base] "\"},"
	}
	print "\t{PAGE_SCRIPT, 0, 0, 0},\n};"
}
