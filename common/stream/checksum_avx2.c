// SPDX-License-Identifier: Apache-2.0
/*
 * xxhash.h takes the widest instructions that the compiler may use where it is included, so this
 * file is that header once more, with AVX2. All of it is static: nothing of it gets into other
 * files, which run where there is no AVX2.
 *
 * AVX-512 would be faster still in the cache, but makes some processors run slower for a while, and
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
