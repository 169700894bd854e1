// SPDX-License-Identifier: Apache-2.0
//
// A selection added up: by node of the tree, and by look. A comparison has two of them.
"use strict";

tstream.totals = (() => {
	// Own weight of each node becomes, in place, the weight of all that is below it.
	function addUp(tree, values) {
		for (let i = tree.nr - 1; i >= 0; i--)
			if (tree.parent[i] >= 0)
				values[tree.parent[i]] += values[i];
		return values;
	}

	// A function that calls itself is counted once in its total.
	function byLook(data, self, total) {
		const {tree} = data;
		const looks = {self: new Float64Array(data.looks.nr), total: new Float64Array(data.looks.nr)};

		for (let i = 0; i < tree.nr; i++) {
			looks.self[tree.look[i]] += self[i];
			if (tree.outermost[i])
				looks.total[tree.look[i]] += total[i];
		}
		return looks;
	}

	function onNodes(data, values) {
		const nodes = new Float64Array(data.tree.nr);

		for (let i = 0; i < values.length; i++)
			nodes[data.stackNode[i]] += values[i];
		return nodes;
	}

	// Samples by thread, cpu or host: a Map.
	function rowsBy(data, state, by) {
		const {cpu} = data.rows, {capture} = data.meta.threads, sums = new Map();

		tstream.selection.eachRow(data, state, (row, nr, thread) => {
			const key = by === "cpu" ? cpu[row] : by === "host" ? capture[thread] : thread;

			sums.set(key, (sums.get(key) || 0) + nr);
		});
		return sums;
	}

	/*
	 * {node: {total, samples}, look: {self, total, samples, allSamples}, sum, nrSamples}: total and self are
	 * weights, periods or samples; sum is that of all.
	 */
	function make(data, state) {
		const chosen = tstream.selection.select(data, state);
		const isPeriod = state.weight === "period" && chosen.period > 0;
		const self = onNodes(data, isPeriod ? chosen.periods : chosen.samples);
		const own = onNodes(data, chosen.samples);
		const total = addUp(data.tree, self.slice()), samples = addUp(data.tree, own.slice());
		const weights = byLook(data, self, total), counts = byLook(data, own, samples);

		return {
			node: {total, samples},
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
