// SPDX-License-Identifier: Apache-2.0
#include "tests/support/records.h"

#include <linux/perf_event.h>
#include <string.h>

uint64_t next_random(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

size_t put_sample(void *at, uint64_t id, uint64_t time_ns, uint32_t cpu)
{
	const struct {
		struct perf_event_header hdr;
		uint64_t id, ip;
		uint32_t pid, tid;
		uint64_t time_ns;
		uint32_t cpu, zero;
		uint64_t period;
	} sample = {
		.hdr = {.type = PERF_RECORD_SAMPLE,
			.misc = PERF_RECORD_MISC_USER,
			.size = SAMPLE_BYTES},
		.id = id,
		.ip = 0x401000 + time_ns % 4096,
		.pid = 500,
		.tid = 500,
		.time_ns = time_ns,
		.cpu = cpu,
		.period = 1,
	};

	memcpy(at, &sample, sizeof(sample));
	return sizeof(sample);
}

size_t put_large_sample(void *at, size_t bytes, uint64_t id, uint64_t time_ns, uint64_t *seed)
{
	struct perf_event_header *hdr = at;
	uint8_t *to = at;
	const uint32_t raw_bytes = (uint32_t)(bytes - SAMPLE_BYTES - sizeof(raw_bytes));

	put_sample(at, id, time_ns, 0);
	hdr->size = (uint16_t)bytes;
	for (size_t i = SAMPLE_BYTES; i < bytes; i += 8) {
		const uint64_t word = next_random(seed);

		memcpy(to + i, &word, sizeof(word));
	}
	if (bytes > SAMPLE_BYTES)
		memcpy(to + SAMPLE_BYTES, &raw_bytes, sizeof(raw_bytes));
	return bytes;
}

size_t put_mixed_samples(void *at, size_t room, size_t largest, uint64_t *seed, uint64_t *ret_nr)
{
	uint8_t *to = at;
	size_t used = 0;
	uint64_t nr = 0;

	for (;;) {
		const uint64_t dice = next_random(seed);
		size_t bytes = SAMPLE_BYTES + 8;

		if (dice % 8 == 0)
			bytes += dice / 8 % (largest - bytes + 1) & ~7ULL;
		if (bytes > room - used)
			break;
		used += put_large_sample(to + used, bytes, 1001, 1000 + nr, seed);
		nr++;
	}
	*ret_nr = nr;
	return used;
}
