// SPDX-License-Identifier: Apache-2.0
//
// Search in names of functions, by regular expression. It marks; it selects nothing.
"use strict";

tstream.search = (() => {
	const TRIES = 2 ** 27, MOST_MS = 2000;
	const slow = new Set(); // texts that took too long

	const until = () => performance.now() + MOST_MS;

	/*
	 * How often an expression may try a name, at most: a browser cannot stop it. Each of * + { tries every length,
	 * each of ? | two ways; what repeats groups has no bound.
	 */
	function tries(text, longest) {
		const plain = text.replace(/\\.|\[(\\.|[^\]\\])*\]/g, "x");
		const nr = signs => plain.split(signs).length - 1;

		return /\)[*+{]/.test(plain) || /\\[1-9k]/.test(text) ? Infinity : longest ** (1 + nr(/[*+{]/)) * 2 ** nr(/[?|]/);
	}

	// Why nothing matches; "": something may.
	function problem(data, text) {
		try {
			new RegExp(text, "i");
		} catch {
			return "this is no regular expression";
		}
		return slow.has(text) || tries(text, data.looks.longest) > TRIES ? "this expression takes too long: use fewer of ( * + ? |" : "";
	}

	// A mask of looks whose name matches; null: there is a problem.
	function looks(data, text, end = until()) {
		const found = new Uint8Array(data.looks.nr);

		if (problem(data, text))
			return null;
		const pattern = new RegExp(text, "i");

		for (let i = 0; i < found.length; i++) {
			found[i] = pattern.test(data.looks.name[i]);
			if (performance.now() > end) {
				slow.add(text);
				return null;
			}
		}
		return found;
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

	return {until, problem, looks, sum};
})();
