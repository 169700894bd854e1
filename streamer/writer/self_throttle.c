// SPDX-License-Identifier: Apache-2.0
#include "streamer/writer/self_throttle.h"

#include "common/base/clock.h"

#define OWN_NS	      (TS_NS_PER_MS / 4) /* the price of an own sample: 4,000 a second */
#define OTHERS_NS     (OWN_NS / 2)	 /* earned by a sample of others */
#define CREDIT_NS_MAX (64 * OWN_NS)
#define DEBT_NS_MAX   (4096 * OWN_NS)
#define REST_NS_MIN   (TS_NS_PER_MS / 20) /* a rest makes two samples itself */
#define REST_NS_MAX   (4 * TS_NS_PER_MS)  /* meanwhile a ring fills up */
#define PASSED_NS_MAX TS_NS_PER_SEC
#define NR_MAX	      1000000ull /* samples; more count as this many */

static uint64_t at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int64_t within_limits(int64_t credit_ns)
{
	if (credit_ns > (int64_t)CREDIT_NS_MAX)
		return CREDIT_NS_MAX;
	return credit_ns < -(int64_t)DEBT_NS_MAX ? -(int64_t)DEBT_NS_MAX : credit_ns;
}

uint64_t self_throttle_account(struct self_throttle *r, uint64_t now_ns, uint64_t nr_own,
			       uint64_t nr_others)
{
	uint64_t passed_ns = at_most(now_ns - r->judged_ns, PASSED_NS_MAX);
	uint64_t earned_ns = passed_ns + at_most(nr_others, NR_MAX) * OTHERS_NS;
	uint64_t rest_ns;

	r->judged_ns = now_ns;
	r->passed_ns = r->passed_ns / 2 + passed_ns;
	r->earned_ns = r->earned_ns / 2 + earned_ns;
	r->credit_ns = within_limits(r->credit_ns + (int64_t)earned_ns -
				     (int64_t)(at_most(nr_own, NR_MAX) * OWN_NS));
	if (r->credit_ns >= 0 || !r->earned_ns)
		return 0;
	rest_ns = (uint64_t)-r->credit_ns * r->passed_ns / r->earned_ns;
	return rest_ns < REST_NS_MIN ? 0 : at_most(rest_ns, REST_NS_MAX);
}
