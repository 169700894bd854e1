#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What the program's own ELF file says of how it was built: at no fixed address, nothing writable that need not be, no stack
# that is overrun unnoticed, checked copies. What libraries are made of is theirs.
. "${abs_srcdir:-.}/tests/support/tap.sh"

command -v readelf >/dev/null || skip_all "readelf is not installed (package binutils)"
[ -z "${SANITIZED-}${TSAN_BUILD-}" ] || skip_all "a sanitizer has checks of its own"
case " ${BUILD_CFLAGS--O2} " in
*" -O0 "*) skip_all "built without optimization" ;;
*" -O"*) ;;
*) skip_all "built without optimization" ;;
esac

run readelf -W --file-header --program-headers --dynamic "$TSTREAM"
elf=$out
like "is loaded at any address (PIE)" "$elf" '^ *Type: +DYN \(Position-Independent'
like "resolves all symbols when it starts (NOW)" "$elf" '\(FLAGS_1\).*NOW'
like "makes its tables of them read-only then (RELRO)" "$elf" '^ *GNU_RELRO'
like "has a stack that is not executable" "$elf" '^ *GNU_STACK .* RW +0x'
is "has no segment that is writable and executable" "$(echo "$elf" | grep -E '^ *LOAD .* RWE')" ""
run readelf -W --dyn-syms "$TSTREAM"
like "notices a stack that is overrun (-fstack-protector-strong)" "$out" '__stack_chk_fail'
like "checks copies and formats (_FORTIFY_SOURCE)" "$out" '__(memcpy|snprintf|vsnprintf|fprintf)_chk'
done_testing
