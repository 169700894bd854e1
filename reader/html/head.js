// SPDX-License-Identifier: Apache-2.0
//
// The head: the command, host and time, and everything that was lost or damaged.
"use strict";

tstream.head = (() => {
	const {element, place, count, duration} = tstream.words;

	function start(capture) {
		return capture.start_ms === null ? null : new Date(capture.start_ms).toISOString()
			.replace("T", " ").replace(/\.\d+Z/, " UTC");
	}

	function facts(capture) {
		return [capture.host, capture.kernel && `Linux ${capture.kernel}`, capture.arch,
			capture.cpus && count(capture.cpus, "CPU"), start(capture)].filter(Boolean).join(" · ");
	}

	function faultLines(capture, isNamed) {
		return capture.faults.map(line => element("li", {}, isNamed ? `${capture.path}: ${line}` : line));
	}

	function captureLine(capture) {
		return element("li", {}, element("strong", {}, capture.path), ` ${count(capture.samples, "sample")}`,
			` · ${facts(capture)}`, capture.command ? ` · ${capture.command}` : "");
	}

	function showCaptures(meta) {
		const isOne = meta.captures.length === 1;

		place("facts").textContent = [
			count(meta.events.reduce((sum, e) => sum + e.samples, 0), "sample") +
				(meta.events.length === 1 ? ` of ${meta.events[0].name}` : ""),
			meta.has_times && `in ${duration(meta.length_ns)}`,
			isOne ? facts(meta.captures[0]) : `of ${count(meta.captures.length, "capture")}`,
			meta.selection && `selected when this page was made: ${meta.selection}`,
		].filter(Boolean).join(" · ");
		place("captures").hidden = isOne;
		place("capture-list").replaceChildren(...meta.captures.map(captureLine));
	}

	function show(meta) {
		const faults = meta.captures.flatMap(c => faultLines(c, meta.captures.length > 1));
		const notes = meta.warnings.map(line => element("li", {}, line));

		place("title").textContent = meta.title;
		showCaptures(meta);
		place("faults").replaceChildren(...faults);
		place("faults").hidden = !faults.length;
		place("notes").replaceChildren(...notes);
		place("notes").hidden = !notes.length;
		place("made").textContent = `made by tstream ${meta.tstream}`;
	}

	return {show};
})();
