// SPDX-License-Identifier: Apache-2.0
/*
 * The machine of a layout. It is this machine, or the one that HWLOC_SYNTHETIC (or HWLOC_XMLFILE)
 * describes. The CPUs of a described machine are all online, allowed and not isolated.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/base/cpus.h"
#include "streamer/layout/layout.h"

static int load_topology(struct layout_machine *machine, struct ts_error *err)
{
	if (hwloc_topology_init(&machine->topology))
		return ts_error_sys(err, ENOMEM, "cannot read the topology");
	/* CPUs outside our cpuset have rings, too */
	if (hwloc_topology_set_flags(machine->topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
	    hwloc_topology_set_io_types_filter(machine->topology, HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_load(machine->topology))
		return ts_error_sys(err, errno ? errno : EINVAL, "cannot read the topology");
	machine->is_synthetic = !hwloc_topology_is_thissystem(machine->topology);
	if (!machine->is_synthetic &&
	    getenv("HWLOC_SYNTHETIC")) /* hwloc ignores a wrong description */
		return ts_error_set(err, EINVAL,
				    "cannot read the topology HWLOC_SYNTHETIC='%s': hwloc refuses "
				    "the description",
				    getenv("HWLOC_SYNTHETIC"));
	return 0;
}

static int alloc_sets(struct layout_machine *machine, struct ts_error *err)
{
	machine->present = hwloc_bitmap_alloc();
	machine->online = hwloc_bitmap_alloc();
	machine->allowed = hwloc_bitmap_alloc();
	machine->isolated = hwloc_bitmap_alloc();
	if (!machine->present || !machine->online || !machine->allowed || !machine->isolated)
		return ts_error_sys(err, ENOMEM, "cannot read the topology");
	return 0;
}

static int read_synthetic(struct layout_machine *machine, struct ts_error *err)
{
	hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(machine->topology);

	if (hwloc_bitmap_copy(machine->present, all) || hwloc_bitmap_copy(machine->online, all) ||
	    hwloc_bitmap_copy(machine->allowed, all))
		return ts_error_sys(err, ENOMEM, "cannot read the topology");
	return 0;
}

static int read_sets(struct layout_machine *machine, struct ts_error *err)
{
	int rc = ts_cpus_present(machine->present, err);

	if (!rc)
		rc = ts_cpus_online(machine->online, err);
	if (!rc)
		rc = ts_cpus_allowed(machine->allowed, err);
	if (!rc)
		rc = ts_cpus_isolated(machine->isolated, err);
	return rc;
}

/* hwloc does not know offline CPUs, so their nodes are read here. */
static int read_offline_nodes(struct layout_machine *machine, struct ts_error *err)
{
	hwloc_bitmap_t offline = hwloc_bitmap_alloc();
	size_t nr = 0;
	int cpu;

	if (offline && !hwloc_bitmap_andnot(offline, machine->present, machine->online))
		machine->offline_nodes = calloc((size_t)hwloc_bitmap_weight(offline) + 1,
						sizeof(machine->offline_nodes[0]));
	if (!machine->offline_nodes) {
		hwloc_bitmap_free(offline);
		return ts_error_sys(err, ENOMEM, "cannot read the topology");
	}
	hwloc_bitmap_foreach_begin(cpu, offline) machine->offline_nodes[nr++] =
		ts_cpus_node((unsigned int)cpu);
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(offline);
	return 0;
}

int layout_machine_init(struct layout_machine *machine, struct ts_error *err)
{
	int rc;

	*machine = (struct layout_machine){0};
	rc = load_topology(machine, err);
	if (!rc)
		rc = alloc_sets(machine, err);
	if (!rc)
		rc = machine->is_synthetic ? read_synthetic(machine, err) : read_sets(machine, err);
	if (!rc)
		rc = read_offline_nodes(machine, err);
	if (rc)
		layout_machine_release(machine);
	return rc;
}

void layout_machine_release(struct layout_machine *machine)
{
	if (machine->topology)
		hwloc_topology_destroy(machine->topology);
	hwloc_bitmap_free(machine->present);
	hwloc_bitmap_free(machine->online);
	hwloc_bitmap_free(machine->allowed);
	hwloc_bitmap_free(machine->isolated);
	free(machine->offline_nodes);
	*machine = (struct layout_machine){0};
}

static int refuse_synthetic(hwloc_const_bitmap_t described, hwloc_const_bitmap_t online,
			    struct ts_error *err)
{
	char *has = ts_cpus_text(described), *is = ts_cpus_text(online);

	ts_error_set(err, EINVAL,
		     "cannot record by the topology of HWLOC_SYNTHETIC: it has CPUs %s, but CPUs "
		     "%s are online",
		     has ? has : "?", is ? is : "?");
	free(has);
	free(is);
	return ts_error_hint(err, "use --dry-run to see the plan for such a machine");
}

int layout_machine_check(const struct layout_machine *machine, struct ts_error *err)
{
	hwloc_bitmap_t online = hwloc_bitmap_alloc();
	int rc = 0;

	if (!online)
		return ts_error_sys(err, ENOMEM, "cannot read the topology");
	if (machine->is_synthetic)
		rc = ts_cpus_online(online, err);
	if (!rc && machine->is_synthetic && !hwloc_bitmap_isequal(online, machine->online))
		rc = refuse_synthetic(machine->online, online, err);
	hwloc_bitmap_free(online);
	return rc;
}
