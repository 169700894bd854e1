// SPDX-License-Identifier: Apache-2.0
#include "common/stream/checksum.h"

#include <xxhash.h>

uint64_t ts_checksum(const void *data, size_t len)
{
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
	if (__builtin_cpu_supports("avx2"))
		return ts_checksum_avx2(data, len);
#endif
	return XXH3_64bits(data, len);
}
