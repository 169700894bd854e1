// SPDX-License-Identifier: Apache-2.0
//
// Callers and callees of one function: two trees, of all places in which it is.
//
//	callers		leaf first: the function, those that called it, and so on
//	callees		the function, those that it called, and so on
//
// A function that calls itself is taken where it was called first.
"use strict";

tstream.sandwich = (() => {
	const STEPS = 1e6;

	// A tree of nothing; the function becomes its first node.
	const newTree = () => ({look: [], parent: [], depth: [], width: [], samples: [], at: new Map()});

	// Adds to the child of a node with this look, made if it is not there.
	function add(tree, node, look, nrLooks, weight, samples) {
		const key = node * nrLooks + look;
		let at = tree.at.get(key);

		if (at === undefined) {
			at = tree.look.length;
			tree.at.set(key, at);
			tree.look.push(look);
			tree.parent.push(node);
			tree.depth.push(node < 0 ? 0 : tree.depth[node] + 1);
			tree.width.push(0);
			tree.samples.push(0);
		}
		tree.width[at] += weight;
		tree.samples[at] += samples;
		return at;
	}

	const done = tree => ({...tree, nr: tree.look.length, at: null});

	function callees(data, view, look) {
		const {tree} = data;
		const made = newTree();
		const place = new Int32Array(tree.nr).fill(-1); // of nodes below the function

		for (let i = 0; i < tree.nr; i++) {
			const above = tree.parent[i] < 0 ? -1 : place[tree.parent[i]];

			if (view.node.total[i] && (above >= 0 || tree.look[i] === look))
				place[i] = add(made, above, tree.look[i], data.looks.nr, view.node.total[i],
					view.node.samples[i]);
		}
		return done(made);
	}

	// Level by level, as far as the steps reach: stacks of hostile depth would take their square.
	function callers(data, view, look) {
		const {tree} = data, {total, samples} = view.node;
		const made = newTree();
		let open = [], steps = STEPS + 4 * tree.nr;

		for (let i = 0; i < tree.nr; i++)
			if (tree.look[i] === look && tree.outermost[i] && total[i])
				open.push({leaf: i, up: i, at: -1});
		for (; open.length && steps > 0; steps -= open.length) {
			for (const way of open) {
				way.at = add(made, way.at, tree.look[way.up], data.looks.nr, total[way.leaf], samples[way.leaf]);
				way.up = tree.parent[way.up];
			}
			open = open.filter(way => way.up >= 0);
		}
		return {...done(made), isCut: open.length > 0};
	}

	return {callees, callers};
})();
