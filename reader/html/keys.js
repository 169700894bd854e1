// SPDX-License-Identifier: Apache-2.0
//
// The keys of the page. Each has a button or a field that does the same.
"use strict";

tstream.keys = actions => {
	const KEYS = [
		["/", "search"], ["n", "next match"], ["N", "match before"],
		["t", "choose threads"], ["c", "choose CPUs"], ["m", "choose commands"], ["o", "choose objects"],
		["h", "choose hosts"], ["x", "without idle CPUs, or with them"],
		["d", "compare: this selection is A, the next one B; again: no comparison"],
		["i", "flame graph or icicle"], ["w", "weights: periods or samples"],
		["s", "callers and callees of the function"], ["y", "copy its name"],
		["?", "this list"],
	];
	const MOVES = [
		["arrows", "move in a flame graph"], ["Enter", "zoom in; of callers and callees: show those of this function"],
		["Escape", "back: from the list, the zoom, the comparison, the selection"],
	];

	function onKey(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog"))
			return;
		if (event.target.closest("input, select, textarea") && event.key !== "Escape")
			return;
		if (event.key.startsWith("Arrow") || event.key === "Enter") {
			const flame = event.target.matches("body, .picture") ? "flame" : event.target.closest(".flame")?.id;

			if (flame && actions[event.key.startsWith("Arrow") ? "move" : "zoom"](event.key, flame))
				event.preventDefault();
		} else if (actions[event.key]) {
			actions[event.key]();
			event.preventDefault();
		}
	}

	document.addEventListener("keydown", onKey);
	return {list: [...KEYS, ...MOVES]};
};
