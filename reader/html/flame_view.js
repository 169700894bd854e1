// SPDX-License-Identifier: Apache-2.0
//
// The flame graph of the selection, with breadcrumbs above and the function under the mouse or keys
// below; and the callers and callees of one function.
"use strict";

tstream.flameView = handlers => {
	const {element, button, renew, place, share, count, weight, lookText} = tstream.words;
	const {colours} = tstream;
	let data = null, state = null, view = null, before = null, found = null;

	const hover = (text, event) => tstream.tooltip(text, event);
	const main = tstream.flame(place("flame"), {
		onHover: hover,
		onZoom: node => handlers.onChange({zoom: node}),
		onCurrent: showCurrent,
	});
	const trees = {callers: null, callees: null};
	const [callers, callees] = Object.keys(trees).map(id => tstream.flame(place(id), {
		onHover: hover, onCurrent: node => { place("sandwich-sum").textContent = titleIn(trees[id], node); },
		onZoom: node => handlers.onChange({focus: trees[id].look[node]}),
	}));
	const flames = {flame: main, callers, callees};

	// --- words ---

	function numbers(total, samples) {
		const event = data.meta.events[state.event];
		const isPeriod = state.weight === "period" && view.period > 0;
		const value = isPeriod ? `${weight(total, event, true)}, ` : "";

		return `${value}${count(samples, "sample")}, ${share(total, view.sum)}`;
	}

	function titleOf(node) {
		const text = lookText(data, data.tree.look[node]) + data.run(node);
		const now = view.node.total[node];

		if (!before)
			return `${text}: ${numbers(now, view.node.samples[node])}`;
		const then = before.node.total[node];
		const change = (view.sum && now / view.sum) - (before.sum && then / before.sum);

		return `${text}: A ${share(then, before.sum)}, B ${share(now, view.sum)}, ` +
			`${change < 0 ? "−" : "+"}${(100 * Math.abs(change)).toFixed(2)}%`;
	}

	function labelOf(node) {
		const name = data.looks.name[data.tree.look[node]] + data.run(node);

		if (!before)
			return name;
		const now = view.node.total[node] / (view.sum || 1);
		const then = before.node.total[node] / (before.sum || 1);

		return Math.abs(now - then) < 0.0005 ? name : `${now > then ? "+" : "−"}${name}`;
	}

	// --- breadcrumbs and the current function ---

	function showCrumbs() {
		const way = [];

		for (let node = state.zoom; node >= 0; node = data.tree.parent[node])
			way.unshift(node);
		renew(place("crumbs"),
			crumb("all", -1), ...way.map(node => crumb(data.looks.name[data.tree.look[node]] + data.run(node), node)));
	}

	function crumb(text, node) {
		const isLast = node === state.zoom;

		return element("li", {}, button(text, isLast ? "the zoomed function" : "zoom out to here",
			() => handlers.onChange({zoom: node}), {"aria-current": isLast ? "true" : null}));
	}

	function showCurrent(node) {
		const isThere = node >= 0 && node < data.tree.nr;
		const look = isThere ? data.tree.look[node] : -1;
		const isFrame = isThere && data.tree.parent[node] >= 0;

		place("current-text").textContent = isThere ? titleOf(node)
			: "Click a function to zoom in. Arrow keys move, Enter zooms, ? lists all keys.";
		place("current-actions").hidden = !isThere;
		for (const id of ["do-sandwich", "do-only", "do-without"])
			place(id).hidden = !isFrame;
		place("do-copy").hidden = look < 0;
	}

	function look() {
		const node = main.current() >= 0 ? main.current() : state.zoom;

		return node < 0 ? -1 : data.tree.look[node];
	}

	function onLook(act) {
		const chosen = look();

		if (chosen >= 0 && data.looks.kind[chosen] !== data.kinds.command)
			act(chosen);
	}

	function chip(only) {
		onLook(value => handlers.onChange({chips: [...state.chips, {by: "function", value, only}], zoom: -1}));
	}

	// --- callers and callees ---

	const titleIn = (tree, node) => `${lookText(data, tree.look[node])}: ${numbers(tree.width[node], tree.samples[node])}`;

	function sceneOf(tree, isIcicle) {
		const label = node => data.looks.name[tree.look[node]];

		return {tree, width: tree.width, sum: tree.width[0], zoom: -1, isIcicle, label,
			colour: node => colours.ofLook(data.looks, tree.look[node]), textColour: colours.text(),
			title: node => titleIn(tree, node)};
	}

	function showSandwich() {
		const isShown = state.focus >= 0;

		place("sandwich").hidden = !isShown;
		if (!isShown)
			return;
		trees.callers = tstream.sandwich.callers(data, view, state.focus);
		trees.callees = tstream.sandwich.callees(data, view, state.focus);
		place("sandwich-title").textContent = lookText(data, state.focus);
		place("sandwich-sum").textContent = numbers(trees.callers.width[0], trees.callers.samples[0]) +
			(trees.callers.isCut ? "; their outermost callers are too many to be shown" : "");
		callers.show(sceneOf(trees.callers, false));
		callees.show(sceneOf(trees.callees, true));
	}

	// --- the whole ---

	function mainScene() {
		const mean = before ? tstream.totals.meanOf(view, before) : {width: view.node.total, sum: view.sum};
		const {tree, looks} = data;

		return {
			tree, ...mean, zoom: state.zoom, isIcicle: state.icicle,
			label: labelOf, title: titleOf,
			colour: before
				? node => colours.ofChange(before.node.total[node] / (before.sum || 1),
					view.node.total[node] / (view.sum || 1))
				: node => colours.ofLook(looks, tree.look[node]),
			textColour: before ? colours.textOfChange() : colours.text(),
			found: found && (node => found[tree.look[node]]),
		};
	}

	function showLegend() {
		const entry = (colour, text) => {
			const sample = element("span", {class: "kind", "aria-hidden": "true"});

			sample.style.background = colour;
			return element("li", {}, sample, text);
		};
		const kinds = new Set(data.looks.kind);

		place("legend").replaceChildren(...before
			? [entry(colours.ofChange(1, 0), "less in B"), entry(colours.ofChange(1, 1), "the same"),
				entry(colours.ofChange(0, 1), "more in B")]
			: data.meta.kinds.map((kind, i) => kinds.has(i) && entry(colours.ofKind(i), kind.name))
				.filter(Boolean),
			...main.isCut() ? [element("li", {}, "narrow stacks go on below: zoom in")] : []);
	}

	function show(scene) {
		({data, state, view, before, found} = scene);
		if (state.zoom >= 0 && !(view.node.total[state.zoom] || before?.node.total[state.zoom]))
			state.zoom = -1;
		main.show(mainScene());
		showCrumbs();
		showLegend();
		showCurrent(main.current());
	}

	// The next box with a match, or the one before.
	function nextMatch(step) {
		const nodes = found ? main.nodes().filter(node => found[data.tree.look[node]]) : [];
		const at = nodes.indexOf(main.current());

		if (nodes.length)
			main.setCurrent(nodes[(at + step + (at < 0 && step < 0 ? 1 : 0) + nodes.length) % nodes.length]);
	}

	async function copy() {
		const name = data.looks.name[look()];

		if (name !== undefined)
			place("current-text").textContent = await Promise.resolve().then(() => navigator.clipboard.writeText(name))
				.then(() => `copied: ${name}`, () => "not copied: the browser does not allow it");
	}

	return {
		show, showSandwich, nextMatch, copy, move: (key, id) => flames[id].move(key),
		zoom: (_, id) => (flames[id] || main).zoom(),
		zoomOut: () => handlers.onChange({zoom: data.tree.parent[state.zoom]}),
		sandwich: () => onLook(focus => handlers.onChange({focus})),
		only: () => chip(true), without: () => chip(false),
	};
};

tstream.tooltip = (text, event) => {
	const tip = tstream.words.place("tip");

	tip.textContent = text;
	tip.hidden = !text;
	if (!text)
		return;
	const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
	const isBelow = event.clientY + 24 + tip.offsetHeight < innerHeight;

	tip.style.left = `${Math.max(left, 4)}px`;
	tip.style.top = `${isBelow ? event.clientY + 20 : event.clientY - tip.offsetHeight - 12}px`;
};
