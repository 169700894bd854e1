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
	// A tree of nothing; the function becomes its first node.
	function newTree() {
		return {look: [], parent: [], depth: [], width: [], samples: [], at: new Map()};
	}

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

	function done(tree) {
		return {...tree, nr: tree.look.length, at: null};
	}

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

	function callers(data, view, look) {
		const {tree} = data;
		const made = newTree();

		for (let i = 0; i < tree.nr; i++) {
			const weight = view.node.total[i], samples = view.node.samples[i];
			let at = -1;

			if (tree.look[i] !== look || !tree.outermost[i] || !weight)
				continue;
			for (let up = i; up >= 0; up = tree.parent[up])
				at = add(made, at, tree.look[up], data.looks.nr, weight, samples);
		}
		return done(made);
	}

	return {callees, callers};
})();
