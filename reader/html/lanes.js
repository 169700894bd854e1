// SPDX-License-Identifier: Apache-2.0
//
// Samples over time: a lane of all, and below it a lane for each CPU or thread. A column of a lane is
// stacked: user, kernel, idle. The selected time stands out; lost time is hatched.
"use strict";

tstream.lanes = (host, handlers) => {
	const {element, cpuText, threadText, count, duration} = tstream.words;
	const LABEL = 120, HEIGHT = 180, ALL = 44, AXIS = 16, LANES_MOST = 64, KINDS = 3;
	const FEW = 10; // samples a column: with fewer a lane is only noise
	const canvas = element("canvas", {}), over = element("canvas", {class: "over"});
	const g = canvas.getContext("2d", {alpha: false});
	let data = null, lanes = [], nrColumns = 0, step = 1, lane = 15, lengthNs = 0;

	host.append(canvas, over);

	// --- counting ---

	// The busiest lanes; CPUs in the order of their numbers. The others share one. Returns those of each key.
	function choose(state) {
		const sums = tstream.totals.rowsBy(data, state, state.lanes).sort((a, b) => b[1] - a[1]);
		const keys = sums.slice(0, LANES_MOST).map(([key]) => key), nrOthers = sums.length - keys.length;
		const lane = label => ({label, columns: new Float64Array(nrColumns * KINDS)});

		if (state.lanes === "cpu")
			keys.sort((a, b) => a - b);
		lanes = keys.map(key => lane(state.lanes === "cpu" ? cpuText(key) : threadText(data, key)));
		const ofKey = [];

		keys.forEach((key, i) => { ofKey[key] = lanes[i]; });
		lanes = [lane("all"), ...lanes, ...nrOthers ? [lane(count(nrOthers, "other"))] : []];
		return ofKey;
	}

	function countRows(state) {
		const {time, cpu, node} = data.rows, {tree, looks, kinds} = data, isByThread = state.lanes === "thread";
		const ofKey = choose(state), [all] = lanes, rest = lanes[lanes.length - 1];
		const perUnit = data.meta.time_unit_ns * nrColumns / lengthNs;

		tstream.selection.eachRow(data, state, (row, nr, thread) => {
			const column = Math.min(Math.floor(time[row] * perUnit), nrColumns - 1);
			const at = column * KINDS + (data.isIdle[thread] ? 2 : looks.kind[tree.look[node[row]]] === kinds.kernel ? 1 : 0);

			all.columns[at] += nr;
			(ofKey[isByThread ? thread : cpu[row]] || rest).columns[at] += nr;
		});
	}

	// --- drawing ---

	const heightOf = number => number === 0 ? ALL : lane;

	function highest(lane) {
		let most = 0;

		for (let i = 0; i < nrColumns; i++)
			most = Math.max(most, lane.columns[i * KINDS] + lane.columns[i * KINDS + 1] +
				lane.columns[i * KINDS + 2]);
		return most;
	}

	function drawLane(lane, y, height, most) {
		const {colours} = tstream, kinds = data.kinds;
		const fills = [colours.ofKind(kinds.user), colours.ofKind(kinds.kernel), colours.idle()];

		for (let kind = KINDS - 1; kind >= 0; kind--) {
			g.fillStyle = fills[kind];
			for (let i = 0; i < nrColumns; i++) {
				let value = 0;

				for (let below = 0; below <= kind; below++)
					value += lane.columns[i * KINDS + below];
				if (!value)
					continue;
				const bar = Math.max(value / most * (height - 2), 1);
				const left = Math.round(i * step), right = Math.round((i + 1) * step);

				g.fillRect(LABEL + left, y + height - 1 - bar, right - left, bar);
			}
		}
		g.fillStyle = colours.text();
		g.fillText(lane.label.length > 17 ? `${lane.label.slice(0, 16)}…` : lane.label, 2, y + height - 4);
	}

	const xOf = ns => LABEL + ns / lengthNs * nrColumns * step;

	function drawGaps(height) {
		for (const [, from, until] of data.meta.gaps)
			tstream.canvas.hatch(g, xOf(from), 0, Math.max(xOf(Math.min(until, lengthNs)) - xOf(from), 2), height);
	}

	function drawAxis(y) {
		const width = nrColumns * step, nr = Math.max(2, Math.floor(width / 160));

		g.fillStyle = tstream.colours.text();
		for (let i = 0; i <= nr; i++) {
			const x = LABEL + i * (width - 1) / nr;

			g.textAlign = i === 0 ? "left" : i === nr ? "right" : "center";
			g.fillText(duration(lengthNs * i / nr), x, y + AXIS - 3);
			g.fillRect(Math.round(x), y, 1, 3);
		}
		g.textAlign = "left";
	}

	function draw() {
		const width = LABEL + nrColumns * step, height = ALL + (lanes.length - 1) * lane + AXIS;
		const most = Math.max(1, ...lanes.slice(1).map(highest));
		let y = 0;

		tstream.canvas.resize([canvas, over], width, height);
		lanes.forEach((lane, i) => {
			drawLane(lane, y, heightOf(i), i ? most : Math.max(highest(lane), 1));
			y += heightOf(i);
			if (!i)
				drawAxis(y);
			y += i ? 0 : AXIS;
		});
		drawGaps(ALL);
	}

	// The time outside of the range is veiled.
	function mark(from, to) {
		const veil = over.getContext("2d"), height = over.height / devicePixelRatio;

		veil.clearRect(0, 0, over.width, over.height);
		if (from === null && to === null)
			return;
		const left = xOf(from ?? 0), right = Math.max(xOf(to ?? lengthNs), left + 1);

		veil.fillStyle = tstream.colours.ground();
		veil.globalAlpha = 0.72;
		veil.fillRect(LABEL, 0, left - LABEL, height);
		veil.fillRect(right, 0, LABEL + nrColumns * step - right, height);
		veil.globalAlpha = 1;
		veil.strokeStyle = tstream.colours.text();
		veil.strokeRect(left + 0.5, 0.5, Math.max(right - left - 1, 1), height - 1);
	}

	// --- the mouse ---

	function timeAt(event) {
		const x = event.clientX - over.getBoundingClientRect().left - LABEL;
		const pixel = Math.min(Math.max(Math.floor(x), 0), nrColumns * step - 1);

		return [pixel, pixel + 1].map(at => at / (nrColumns * step) * lengthNs);
	}

	function textAt(span, event) {
		const y = event.clientY - over.getBoundingClientRect().top;
		const shown = lanes[y < ALL + AXIS ? 0 : Math.floor((y - ALL - AXIS) / lane) + 1];
		const column = Math.floor(span[0] / lengthNs * nrColumns + 1e-6) * KINDS;

		if (!shown)
			return "";
		const [user, kernel, idle] = shown.columns.slice(column, column + KINDS);

		return `${shown.label}, at ${duration(span[0])}: ${count(user, "user sample")}, ` +
			`${kernel} kernel, ${idle} idle`;
	}

	const drag = tstream.dragging(over, timeAt, {
		onMove: mark,
		onDone: handlers.onRange,
		onHover: (span, event) => handlers.onHover(span ? textAt(span, event) : "", event),
	});

	function show(given, state) {
		data = given;
		lengthNs = Math.max(data.meta.length_ns, 1) * 1.0001;
		const pixels = Math.max(host.clientWidth - LABEL - 18, 100);

		nrColumns = Math.min(pixels, Math.max(60, Math.ceil(data.meta.events[state.event].samples / FEW)));
		step = pixels / nrColumns;
		countRows({...state, from: null, to: null});
		lane = Math.max(15, Math.min(40, Math.floor((HEIGHT - ALL - AXIS) / (lanes.length - 1))));
		draw();
		mark(state.from, state.to);
	}

	return {show, mark, cancel: drag.cancel};
};
