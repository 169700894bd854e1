// SPDX-License-Identifier: Apache-2.0
//
// A selection added up: by node of the tree, and by look. A comparison has two of them.
"use strict";

tstream.totals = (() => {
	/*
	 * {self, total}: of looks, and {node}: what each node has with all that is below it. A function that calls
	 * itself is counted once in its total.
	 */
	function addUp(data, own) {
		const {parent, look, outermost} = data.tree, node = own.slice();
		const self = new Float64Array(data.looks.nr), total = new Float64Array(data.looks.nr);

		for (let i = node.length - 1; i >= 0; i--) {
			if (!node[i])
				continue;
			self[look[i]] += own[i];
			if (outermost[i])
				total[look[i]] += node[i];
			if (parent[i] >= 0)
				node[parent[i]] += node[i];
		}
		return {self, total, node};
	}

	const times = (sums, unit) => Object.fromEntries(Object.entries(sums).map(([key, values]) => [key, values.map(v => v * unit)]));

	// Samples by thread, cpu or host: [[number, samples]].
	function rowsBy(data, state, by) {
		const {cpu} = data.rows, {capture} = data.meta.threads, sums = [];
		const keyOf = by === "cpu" ? row => cpu[row] : by === "host" ? (_, thread) => capture[thread] : (_, thread) => thread;

		tstream.selection.eachRow(data, state, (row, nr, thread) => {
			const key = keyOf(row, thread);

			sums[key] = (sums[key] || 0) + nr;
		});
		return [...sums.entries()].filter(([, sum]) => sum);
	}

	/*
	 * {node: {total, samples}, look: {self, total, samples, allSamples}, sum, nrSamples}: total and self are
	 * weights, periods or samples; sum is that of all.
	 */
	function make(data, state) {
		const chosen = tstream.selection.select(data, state);
		const isPeriod = state.weight === "period" && chosen.period > 0;
		const counts = addUp(data, chosen.samples);
		const weights = !isPeriod ? counts : chosen.periods ? addUp(data, chosen.periods)
			: times(counts, data.meta.events[state.event].one_period);

		return {
			node: {total: weights.node, samples: counts.node},
			look: {self: weights.self, total: weights.total, samples: counts.self, allSamples: counts.total},
			sum: isPeriod ? chosen.period : chosen.nrSamples,
			nrSamples: chosen.nrSamples, period: chosen.period,
			rows: by => rowsBy(data, state, by),
		};
	}

	/*
	 * Two views as one scene of a flame graph: the width of a node is the mean of its shares. A side without
	 * samples does not count.
	 */
	function meanOf(view, before) {
		const sides = [view, before].filter(side => side.sum);
		const width = new Float64Array(view.node.total.length);

		for (const side of sides)
			for (let i = 0; i < width.length; i++)
				width[i] += side.node.total[i] / side.sum / sides.length;
		return {width, sum: sides.length ? 1 : 0};
	}

	return {make, meanOf, rowsBy};
})();
