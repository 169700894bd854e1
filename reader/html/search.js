// SPDX-License-Identifier: Apache-2.0
//
// Search in names of functions, by regular expression. It marks; it selects nothing.
"use strict";

tstream.search = (() => {
	// null: the text is no regular expression.
	function patternOf(text) {
		try {
			return new RegExp(text, "i");
		} catch {
			return null;
		}
	}

	// A mask of looks whose name matches; nothing matches what is no regular expression.
	function looks(data, text) {
		const pattern = patternOf(text);

		return Uint8Array.from(data.looks.name, name => pattern && pattern.test(name) ? 1 : 0);
	}

	// The weight of stacks with a match, and of all samples in them.
	function sum(data, view, found) {
		const {tree} = data, within = new Uint8Array(tree.nr);
		let weight = 0, samples = 0;

		for (let i = 0; i < tree.nr; i++) {
			const parent = tree.parent[i], isBelow = parent >= 0 && within[parent];

			within[i] = isBelow || found[tree.look[i]] ? 1 : 0;
			if (within[i] && !isBelow) {
				weight += view.node.total[i];
				samples += view.node.samples[i];
			}
		}
		return {weight, samples};
	}

	return {patternOf, looks, sum};
})();
