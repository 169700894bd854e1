// SPDX-License-Identifier: Apache-2.0
//
// The state of the page: selection and view. The part behind the '#' of the address has it, so a link
// shows the same.
"use strict";

tstream.state = (() => {
	const BYS = ["thread", "cpu", "host", "command", "object", "function", "match"];

	function initial() {
		return {
			event: 0, weight: "period", from: null, to: null, chips: [],
			a: null, // {from, to, chips}: what the selection is compared with
			search: "", zoom: -1, focus: -1, // a node; a look
			icicle: true, lanes: "cpu", cell: 0, // ms; 0: as it fits
		};
	}

	const isTime = value => value === null || (Number.isFinite(value) && value >= 0);
	const isNumberBelow = (value, end) => Number.isInteger(value) && value >= 0 && value < end;

	function isChip(data, chip) {
		const ends = {
			thread: data.meta.threads.rows.length, cpu: 65536, host: data.meta.captures.length,
			command: data.looks.nr, function: data.looks.nr, object: data.objects.length,
		};

		return chip && BYS.includes(chip.by) && typeof chip.only === "boolean" &&
			(chip.by === "match" ? typeof chip.value === "string" && chip.value.length <= 200
				: isNumberBelow(chip.value, ends[chip.by]));
	}

	function isSelection(data, s) {
		return s && isTime(s.from) && isTime(s.to) && Array.isArray(s.chips) && s.chips.length <= 64 &&
			s.chips.every(chip => isChip(data, chip));
	}

	// Takes only what is right: an address may come from anywhere.
	function isRight(data, state) {
		return isSelection(data, state) && (state.a === null || isSelection(data, state.a)) &&
			isNumberBelow(state.event, data.meta.events.length) &&
			["period", "samples"].includes(state.weight) && typeof state.search === "string" && state.search.length <= 200 &&
			isNumberBelow(state.zoom + 1, data.tree.nr + 1) &&
			isNumberBelow(state.focus + 1, data.looks.nr + 1) &&
			typeof state.icicle === "boolean" && ["cpu", "thread"].includes(state.lanes) &&
			[0, 10, 20, 50, 100].includes(state.cell);
	}

	function read(data, text) {
		try {
			const state = {...initial(), ...JSON.parse(decodeURIComponent(text.replace(/^#/, "")))};
			const {from, to, chips} = state.a || {};

			return isRight(data, state) ? {...state, a: state.a && {from, to, chips}} : initial();
		} catch {
			return initial();
		}
	}

	// Only what is not as at the beginning.
	function write(state) {
		const start = initial();
		const changed = Object.entries(state)
			.filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(start[key]));

		return changed.length ? `#${encodeURIComponent(JSON.stringify(Object.fromEntries(changed)))}` : "#";
	}

	return {initial, read, write};
})();
