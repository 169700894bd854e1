// SPDX-License-Identifier: Apache-2.0
//
// Which rows are shown, and what they add up to.
//
//	state.event		the number of an event: weights of several do not add up
//	state.from, state.to	times in ns, or null
//	state.chips		{by, value, only}: by thread, cpu, host, command, object, function or match
//
// Chips that say `only` are alternatives if they are by the same thing; each other one takes rows away.
"use strict";

tstream.selection = (() => {
	// A mask of nr items, 1: shown; null: all are. has(value) is a mask of the items with that value.
	function maskOf(chips, bys, nr, has) {
		const wanted = chips.filter(chip => bys.includes(chip.by));

		if (!wanted.length)
			return null;
		const mask = new Uint8Array(nr).fill(1);

		for (const by of bys) {
			const masksOf = only => wanted.filter(c => c.by === by && c.only === only).map(has);
			const some = masksOf(true), none = masksOf(false);

			for (let i = 0; i < nr; i++)
				if ((some.length && !some.some(m => m[i])) || none.some(m => m[i]))
					mask[i] = 0;
		}
		return mask;
	}

	// Is this look what the chip names, at this place of a path?
	function lookTest(data, chip, until) {
		const {tree, looks} = data;

		if (chip.by === "match") {
			const found = tstream.search.looks(data, chip.value, until);

			return i => found?.[tree.look[i]];
		}
		if (chip.by === "command")
			return i => tree.command[i] === chip.value;
		if (chip.by === "function")
			return i => tree.look[i] === chip.value;
		return i => tree.parent[i] >= 0 && looks.object[tree.look[i]] === chip.value;
	}

	// Nodes with a node above them, or themselves, that the chip names.
	function nodesOf(data, chip, until) {
		const {tree} = data;
		const inPath = new Uint8Array(tree.nr), isNamed = lookTest(data, chip, until);

		for (let i = 0; i < tree.nr; i++)
			inPath[i] = (tree.parent[i] >= 0 && inPath[tree.parent[i]]) || isNamed(i) ? 1 : 0;
		return inPath;
	}

	// The first row of [low, high) that is not before this time.
	function rowAt(time, low, high, wanted) {
		while (low < high) {
			const middle = (low + high) >>> 1;

			if (time[middle] < wanted)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	const made = new WeakMap(); // masks of lists of chips, which are never changed

	function masks(data, chips) {
		if (!made.has(chips))
			made.set(chips, makeMasks(data, chips));
		return made.get(chips);
	}

	function makeMasks(data, chips) {
		const until = tstream.search.until(), {capture} = data.meta.threads;
		const nrCpus = data.meta.columns.cpu ? 2 ** (8 * data.meta.columns.cpu) : 1;

		return {
			thread: maskOf(chips, ["thread", "host"], data.meta.threads.rows.length,
				chip => Uint8Array.from(capture, (c, i) => (chip.by === "host" ? c : i) === chip.value)),
			cpu: maskOf(chips, ["cpu"], nrCpus, chip => new Uint8Array(nrCpus).fill(1, chip.value, chip.value + 1)),
			node: maskOf(chips, ["command", "object", "function", "match"], data.tree.nr,
				chip => nodesOf(data, chip, until)),
		};
	}

	// The rows [low, high) of a thread that are in the time of the state.
	function span(data, state, thread) {
		const {time, first} = data.rows, unit = data.meta.time_unit_ns;
		const low = first[thread], high = first[thread + 1];

		return [state.from === null ? low : rowAt(time, low, high, state.from / unit),
			state.to === null ? high : rowAt(time, low, high, state.to / unit)];
	}

	// Calls take(row, samples, thread) for each selected row, by thread and time.
	function eachRow(data, state, take) {
		const {event, cpu, node, count} = data.rows;
		const hasEvents = data.meta.events.length > 1, mask = masks(data, state.chips);

		for (let thread = 0; thread < data.meta.threads.rows.length; thread++) {
			if (mask.thread && !mask.thread[thread])
				continue;
			const [low, high] = span(data, state, thread);

			for (let i = low; i < high; i++)
				if ((!hasEvents || event[i] === state.event) && (!mask.cpu || mask.cpu[cpu[i]]) &&
						(!mask.node || mask.node[node[i]]))
					take(i, count ? count[i] + 1 : 1, thread);
		}
	}

	// Samples of each node itself, and their sum; periods likewise, or null: an event has one for all samples.
	function select(data, state) {
		const {node, period} = data.rows;
		const samples = new Float64Array(data.tree.nr), periods = period && new Float64Array(data.tree.nr);
		let nrSamples = 0, sum = 0;

		eachRow(data, state, (row, nr) => {
			samples[node[row]] += nr;
			nrSamples += nr;
			if (!period)
				return;
			periods[node[row]] += period[row];
			sum += period[row];
		});
		return {samples, periods, nrSamples,
			period: period ? sum : nrSamples * data.meta.events[state.event].one_period};
	}

	return {eachRow, select};
})();
