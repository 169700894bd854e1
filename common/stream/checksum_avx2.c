// SPDX-License-Identifier: Apache-2.0
/*
 * xxhash.h uses the widest instructions that the compiler may use in the including file. This file
 * therefore includes the header once more, with AVX2. All its functions are static: none of them
 * gets into other files, which also run on processors without AVX2.
 *
 * AVX-512 would be faster still in the cache. But it slows some processors down for a while, and
 * with them the load that is recorded.
 */
#include "common/stream/checksum.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx2")
#include <xxhash.h>

uint64_t ts_checksum_avx2(const void *data, size_t len)
{
	return XXH3_64bits(data, len);
}
#endif
