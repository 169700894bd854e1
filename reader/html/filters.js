// SPDX-License-Identifier: Apache-2.0
//
// The filters of the selection as chips, and a dialog that lists what one may choose: threads, CPUs,
// commands, objects, hosts, those with most samples first.
"use strict";

tstream.filters = (host, dialog, handlers) => {
	const {element, button, renew, share, count, duration, cpuText, threadText, hostText, lookText} = tstream.words;
	const LISTED = 300;
	const TITLES = {thread: "Threads", cpu: "CPUs", command: "Commands", object: "Objects", host: "Hosts"};

	// "only thread sh 7"
	const text = (data, chip) => `${chip.only ? "only" : "without"} ${chip.by} ${valueText(data, chip)}`;

	function valueText(data, chip) {
		const texts = {thread: v => threadText(data, v), cpu: cpuText, host: v => hostText(data, v),
			object: v => data.objects[v], command: v => data.looks.name[v], match: v => [v, tstream.search.problem(data, v)].filter(Boolean).join(": "),
			function: v => lookText(data, v)};

		return texts[chip.by](chip.value);
	}

	// --- chips ---

	function chipOf(text, title, onRemove) {
		return element("li", {}, element("span", {}, text),
			button("×", title, onRemove, {"aria-label": title}));
	}

	function showChips(data, state) {
		const chips = state.chips.map((chip, i) => {
			const words = text(data, chip);

			return chipOf(words, `remove: ${words}`,
				() => handlers.onChips(state.chips.filter((_, k) => k !== i)));
		});

		if (state.from !== null || state.to !== null) {
			const text = `${duration(state.from ?? 0)} to ${duration(state.to ?? data.meta.length_ns)}`;

			chips.unshift(chipOf(text, "remove the time range", () => handlers.onRange(null, null)));
		}
		renew(host, ...chips);
	}

	// --- the dialog ---

	// What may be chosen, with the weight of the selection: [[value, weight]], the highest first.
	function choices(data, view, by) {
		const sums = new Map();
		const add = (value, weight) => weight && sums.set(value, (sums.get(value) || 0) + weight);

		if (by === "command" || by === "object") {
			const {tree, looks} = data; // object 0 is none
			const numbers = by === "object" ? Uint32Array.from(tree.look, look => looks.object[look]) : tree.command;
			const isFirst = tstream.data.outermost(tree, numbers, Math.max(looks.nr, data.objects.length));

			for (let i = 0; i < tree.nr; i++)
				if (isFirst[i] && (by === "command" || numbers[i]))
					add(numbers[i], view.node.total[i]);
		} else {
			view.rows(by).forEach(pair => add(...pair));
		}
		return [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
	}

	function choose(state, chip) {
		const others = state.chips.filter(c => c.by !== chip.by || c.value !== chip.value);

		dialog.close();
		handlers.onChips([...others, chip]);
	}

	function lineOf(data, state, by, [value, weight], sum) {
		const name = valueText(data, {by, value});
		const chooser = only => button(only ? "only" : "without", text(data, {by, value, only}),
			() => choose(state, {by, value, only}), {"aria-label": text(data, {by, value, only})});

		return element("li", {},
			element("span", {class: "number"}, share(weight, sum)),
			element("span", {class: "text", title: name}, name), chooser(true), chooser(false));
	}

	function ask(data, state, view, by) {
		const all = choices(data, view, by);
		const sum = by === "thread" || by === "cpu" || by === "host" ? view.nrSamples : view.sum;
		const list = element("ul", {class: "choices"});
		const field = element("input", {type: "search", placeholder: "part of the name",
			"aria-label": "part of the name", oninput: fill});

		function fill() {
			const part = field.value.toLowerCase();
			const found = all.filter(([value]) => valueText(data, {by, value}).toLowerCase().includes(part));
			const lines = found.slice(0, LISTED).map(item => lineOf(data, state, by, item, sum));

			if (found.length > LISTED)
				lines.push(element("li", {}, `${count(found.length - LISTED, "more")}: type a part of the name`));
			list.replaceChildren(...lines);
		}

		fill();
		dialog.replaceChildren(
			element("h2", {}, TITLES[by]), field, list,
			button("Close", "close (Escape)", () => dialog.close()));
		dialog.setAttribute("aria-label", TITLES[by]);
		dialog.showModal();
		field.focus();
	}

	return {showChips, ask, text, titles: TITLES};
};
