// SPDX-License-Identifier: Apache-2.0
//
// The page: one state, and what is shown of it. A change of the selection counts again; a change of the
// view only draws. Pictures of time come behind what people wait for.
"use strict";

tstream.page = (() => {
	const {place, count, share, element, button, duration, weight} = tstream.words;
	const SELECTION = ["event", "weight", "from", "to", "chips", "a"];
	const TIMES = ["event", "chips", "lanes", "cell"];
	let data = null, state = null, view = null, before = null, found = null;
	let flame = null, table = null, filters = null, lanes = null, heat = null;
	const FRAME = 30; // ms; a picture is drawn meanwhile
	const spent = {}; // ms of the last change, for those who measure

	// --- showing ---

	function countSelection() {
		view = tstream.totals.make(data, state);
		before = state.a && tstream.totals.make(data, {...state, ...state.a});
		const sum = place("sum"), event = data.meta.events[state.event];

		sum.dataset.samples = view.nrSamples;
		sum.dataset.period = view.period;
		sum.textContent = `${count(view.nrSamples, "sample")}` +
			(view.period && event.unit === "ns" ? ` · ${weight(view.period, event, true)}` : "") +
			` · ${share(view.nrSamples, event.samples)} of all`;
	}

	function showSearch() {
		found = state.search ? tstream.search.looks(data, state.search) : null;
		const problem = state.search && !found ? tstream.search.problem(data, state.search) : "";

		place("search").value = state.search;
		place("search").setAttribute("aria-invalid", String(problem !== ""));
		place("matched").textContent = problem;
		place("search-actions").hidden = !found;
		if (!found)
			return;
		const sum = tstream.search.sum(data, view, found);

		place("matched").dataset.samples = sum.samples;
		place("matched").textContent = `matched: ${share(sum.weight, view.sum)}, ${count(sum.samples, "sample")}`;
	}

	function showComparison() {
		const text = state.a && describe(state.a);

		place("comparison").hidden = !state.a;
		place("comparison-text").textContent = state.a
			? `A: ${text}. B: ${describe(state)}. Select a time, a thread or anything else: it becomes B.` : "";
		place("compare").textContent = state.a ? "End comparison" : "Compare";
	}

	function describe(selection) {
		const parts = selection.chips.map(chip => filters.text(data, chip));

		if (selection.from !== null || selection.to !== null)
			parts.unshift(`${duration(selection.from ?? 0)} to ${duration(selection.to ?? data.meta.length_ns)}`);
		return parts.join(", ") || "all";
	}

	function showView() {
		showSearch();
		const scene = {data, state, view, before, found};

		flame.show(scene);
		table.show(scene);
		filters.showChips(data, state);
		showComparison();
		showRange();
		place("weight").value = state.weight;
		place("turn").setAttribute("aria-pressed", String(!state.icicle));
		place("idle").setAttribute("aria-pressed", String(state.chips.some(isIdleChip)));
	}

	function showTimes() {
		if (!data.meta.has_times)
			return;
		lanes.show(data, state);
		heat.show(data, state);
		for (const option of place("cell").options)
			option.textContent = `cells of ${heat.cellName(Number(option.value))}`;
		place("cell").value = heat.cell();
	}

	function showRange() {
		place("from").value = state.from === null ? "" : state.from / 1e9;
		place("to").value = state.to === null ? "" : state.to / 1e9;
		if (data.meta.has_times) {
			lanes.mark(state.from, state.to);
			heat.mark(state.from, state.to);
		}
	}

	// --- changes ---

	function change(patch) {
		const keys = Object.keys(patch), begin = performance.now();

		if (keys.some(key => SELECTION.includes(key)) && flame)
			tstream.tooltip("");
		Object.assign(state, patch);
		try { history.replaceState(null, "", tstream.state.write(state)); } catch { /* too often */ }
		if (keys.some(key => SELECTION.includes(key)))
			countSelection();
		showView();
		if (keys.some(key => [...SELECTION, "focus"].includes(key)))
			flame.showSandwich();
		spent.view = performance.now() - begin;
		spent.all = null;
		setTimeout(async () => {
			await data.withTimes();
			if (keys.some(key => TIMES.includes(key)))
				showTimes();
			spent.all = performance.now() - begin;
		}, spent.opened ? 0 : FRAME);
	}

	function setRange(from, to) {
		const isAll = from === null || from >= to;

		change({from: isAll ? null : from, to: isAll ? null : to});
	}

	function compare() {
		const {from, to, chips} = state;

		change(state.a ? {a: null} : {a: {from, to, chips}, from: null, to: null, chips: []});
	}

	const isIdleChip = chip => chip.by === "command" && !chip.only && idleCommands().includes(chip.value);

	// Without samples of idle CPUs, or with them.
	function toggleIdle() {
		const others = state.chips.filter(chip => !isIdleChip(chip));

		change({chips: others.length < state.chips.length ? others
			: [...others, ...idleCommands().map(value => ({by: "command", value, only: false}))]});
	}

	function idleCommands() {
		const {node, first} = data.rows;
		const idle = data.isIdle.flatMap((isIdle, thread) => isIdle ? first[thread] : []);

		return [...new Set(idle.map(row => data.tree.command[node[row]]))];
	}

	// One step back: what was opened last is closed first.
	function back() {
		if (place("dialog").open)
			return place("dialog").close();
		if (document.activeElement === place("search"))
			return place("search").blur();
		if (lanes.cancel() + heat.cancel())
			return showRange();
		if (state.focus >= 0)
			return change({focus: -1});
		if (state.zoom >= 0)
			return flame.zoomOut();
		if (state.a)
			return change({a: null});
		return change({from: null, to: null, chips: [], search: ""});
	}

	// --- the beginning ---

	function showHelp(list) {
		const lines = list.flatMap(([key, text]) =>
			[element("dt", {}, element("kbd", {}, key)), element("dd", {}, text)]);

		place("dialog").replaceChildren(element("h2", {}, "Keys"), element("dl", {class: "keys"}, ...lines),
			button("Close", "close (Escape)", () => place("dialog").close()));
		place("dialog").setAttribute("aria-label", "Keys");
		place("dialog").showModal();
	}

	const onField = (id, type, act) => place(id).addEventListener(type, act);
	const secondsOf = id => place(id).value !== "" && place(id).value >= 0 ? place(id).value * 1e9 : null;

	function fillFields() {
		const {meta} = data;
		const events = meta.events.map((event, i) => element("option", {value: i}, event.name));

		place("event").replaceChildren(...events);
		place("event").value = state.event;
		place("event-field").hidden = meta.events.length < 2;
		place("weight-field").hidden = !meta.columns.period;
		place("lanes-by").value = state.lanes;
		place("times").hidden = place("range").hidden = !meta.has_times;
		place("by-host").hidden = meta.captures.length < 2;
		place("idle").hidden = !idleCommands().length;
	}

	function bindFields() {
		const ask = by => filters.ask(data, state, view, by);

		onField("event", "change", () => change({event: Number(place("event").value), zoom: -1}));
		onField("weight", "change", () => change({weight: place("weight").value}));
		onField("lanes-by", "change", () => change({lanes: place("lanes-by").value}));
		onField("cell", "change", () => change({cell: Number(place("cell").value)}));
		onField("search", "input", () => change({search: place("search").value}));
		for (const [id, only] of [["search-only", true], ["search-without", false]])
			onField(id, "click", () => change({chips: [...state.chips, {by: "match", value: state.search, only}], search: ""}));
		for (const id of ["from", "to"])
			onField(id, "change", () => change({[id]: secondsOf(id)}));
		for (const by of Object.keys(filters.titles))
			onField(`by-${by}`, "click", () => ask(by));
		onField("idle", "click", toggleIdle);
		onField("compare", "click", compare);
		onField("comparison-end", "click", compare);
		onField("turn", "click", () => change({icicle: !state.icicle}));
		onField("sandwich-close", "click", () => change({focus: -1}));
		for (const act of ["zoom", "sandwich", "only", "without", "copy"])
			onField(`do-${act}`, "click", () => flame[act]());
		return ask;
	}

	function bindKeys(ask) {
		const keys = tstream.keys({
			"/": () => place("search").focus(), "n": () => flame.nextMatch(1), "N": () => flame.nextMatch(-1),
			"t": () => ask("thread"), "c": () => ask("cpu"), "m": () => ask("command"),
			"o": () => ask("object"), "h": () => ask("host"), "x": toggleIdle, "d": compare,
			"i": () => change({icicle: !state.icicle}), "s": flame.sandwich, "y": flame.copy,
			"w": () => change({weight: state.weight === "period" ? "samples" : "period"}),
			"?": () => showHelp(keys.list), "Escape": back, "move": flame.move, "zoom": flame.zoom,
		});

		onField("help", "click", () => showHelp(keys.list));
	}

	function redraw() {
		tstream.colours.settle(data.meta);
		showView();
		flame.showSandwich();
		showTimes();
	}

	function bindScheme() {
		const root = document.documentElement;

		onField("scheme", "change", () => {
			const wanted = place("scheme").value;

			delete root.dataset.scheme;
			if (wanted !== "auto")
				root.dataset.scheme = wanted;
			redraw();
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
		let waiting = 0;

		addEventListener("resize", () => {
			clearTimeout(waiting);
			waiting = setTimeout(redraw, 100);
		});
	}

	function makeParts() {
		const hover = tstream.tooltip;

		flame = tstream.flameView({onChange: change});
		table = tstream.table(place("functions"),
			{onSort: () => table.show({data, state, view, before, found}), onFunction: look => {
				change({focus: look});
				place("sandwich").scrollIntoView({block: "nearest"});
			}});
		filters = tstream.filters(place("chips"), place("dialog"),
			{onChips: chips => change({chips}), onRange: setRange});
		lanes = tstream.lanes(place("lanes"), {onRange: setRange, onHover: hover});
		heat = tstream.heat(place("heat"), {onRange: setRange, onHover: hover});
	}

	async function start() {
		data = await tstream.data.load();
		tstream.colours.settle(data.meta);
		state = tstream.state.read(data, location.hash);
		tstream.head.show(data.meta);
		makeParts();
		fillFields();
		if (location.hash.length > 1)
			await data.withTimes(); // the state may ask for them
		place("waiting").hidden = true;
		place("page").hidden = !(place("page").inert = true);
		change({...state});
		spent.opened = performance.now();
		await new Promise(done => setTimeout(done, FRAME));
		await data.withTimes();
		bindKeys(bindFields());
		bindScheme();
		addEventListener("hashchange", () => {
			state = tstream.state.read(data, location.hash);
			fillFields();
			change({...state});
		});
		place("page").inert = false;
	}

	start().catch(error => {
		place("page").hidden = !(place("waiting").hidden = false);
		place("waiting").textContent = `This page cannot be shown: ${error.message}. ` +
			"It is incomplete, or the browser is older than 2023.";
	});

	return {spent, change, data: () => data, view: () => view, state: () => state};
})();
