// SPDX-License-Identifier: Apache-2.0
//
// A heat map of samples: a column for each second, a row for each part of it. Short captures have tenths
// of a second as columns. Captures over ten minutes have a row for each minute and a column for each
// second in it.
"use strict";

tstream.heat = (host, handlers) => {
	const {element, count, duration} = tstream.words;
	const MINUTES = 600e9, SHORT = 20e9, HEIGHT = 150, AXIS = 16, LINES_MOST = 1500;
	const CELLS = [10, 20, 50, 100], FEW = 4; // ms; samples a cell, where the page chooses the cells
	const canvas = element("canvas", {}), over = element("canvas", {class: "over"});
	const g = canvas.getContext("2d", {alpha: false});
	let data = null, grid = null, cells = null, cellMs = 20;

	host.append(canvas, over);

	// --- the grid ---

	// {outer, inner}: ns of a line and of a cell; lines are rows if the capture is long, else columns.
	function layGrid(lengthNs, ms) {
		const isLong = lengthNs > MINUTES;
		let outer = isLong ? 60e9 : lengthNs > SHORT ? 1e9 : 1e8;
		let inner = isLong ? 1e9 : lengthNs > SHORT ? ms * 1e6 : ms * 1e5;

		for (; lengthNs / outer > LINES_MOST; outer *= 2, inner *= 2);
		const nrOuter = Math.floor(lengthNs / outer) + 1, nrInner = Math.round(outer / inner);

		return {isLong, outer, inner, nrOuter, nrInner, lengthNs,
			columns: isLong ? nrInner : nrOuter, rows: isLong ? nrOuter : nrInner};
	}

	// The smallest cells that are more than noise.
	function chooseCell(state, lengthNs) {
		const {samples} = data.meta.events[state.event];
		const scale = lengthNs > SHORT ? 1e6 : 1e5;

		return CELLS.find(ms => samples * ms * scale / lengthNs >= FEW) || CELLS[CELLS.length - 1];
	}

	function fit() {
		const width = Math.max(host.clientWidth - 4, 100);

		grid.cellWidth = Math.min(Math.max(width / grid.columns, 1), 24);
		grid.cellHeight = grid.isLong ? Math.min(Math.max(HEIGHT / grid.rows, 2), 12) : HEIGHT / grid.rows;
	}

	function countRows(state) {
		const {time} = data.rows, perUnit = data.meta.time_unit_ns / grid.inner;

		cells = new Float64Array(grid.nrOuter * grid.nrInner);
		tstream.selection.eachRow(data, {...state, from: null, to: null}, (row, nr) => {
			cells[Math.floor(time[row] * perUnit)] += nr;
		});
	}

	// --- drawing ---

	const xOf = cell => (grid.isLong ? cell % grid.nrInner : Math.floor(cell / grid.nrInner)) * grid.cellWidth;

	function yOf(cell) {
		const row = grid.isLong ? Math.floor(cell / grid.nrInner) : cell % grid.nrInner;

		return (grid.isLong ? row : grid.rows - 1 - row) * grid.cellHeight;
	}

	function lostCells() {
		const lost = new Set();

		for (const [, from, until] of data.meta.gaps) {
			const last = Math.min(Math.ceil(until / grid.inner), cells.length);

			for (let cell = Math.floor(from / grid.inner); cell < last; cell++)
				lost.add(cell);
		}
		return lost;
	}

	function drawCell(cell, most, isLost) {
		const isOver = cell * grid.inner > grid.lengthNs;
		const gap = grid.cellWidth > 5 && grid.cellHeight > 5 ? 1 : 0;

		if (isOver)
			return;
		g.fillStyle = tstream.colours.ofHeat(cells[cell] / most);
		g.fillRect(xOf(cell), yOf(cell), grid.cellWidth - gap, grid.cellHeight - gap);
		if (isLost)
			tstream.canvas.hatch(g, xOf(cell), yOf(cell), grid.cellWidth, grid.cellHeight);
	}

	function drawAxis(height) {
		const width = grid.columns * grid.cellWidth;

		g.fillStyle = tstream.colours.text();
		g.fillText("0 s", 0, height - 4);
		g.textAlign = "right";
		g.fillText(duration(grid.isLong ? grid.outer : grid.columns * grid.outer),
			Math.max(width, 90), height - 4);
		g.textAlign = "left";
	}

	function draw() {
		const width = Math.max(grid.columns * grid.cellWidth, 90);
		const height = grid.rows * grid.cellHeight + AXIS;
		const lost = lostCells(), most = cells.reduce((a, b) => Math.max(a, b), 1);

		tstream.canvas.resize([canvas, over], width, height);
		for (let cell = 0; cell < cells.length; cell++)
			drawCell(cell, most, lost.has(cell));
		drawAxis(height);
	}

	// Cells outside of the range are veiled.
	function mark(from, to) {
		const veil = over.getContext("2d");

		veil.clearRect(0, 0, over.width, over.height);
		if (!grid || (from === null && to === null))
			return;
		const first = Math.floor((from ?? 0) / grid.inner + 1e-6);
		const end = Math.ceil((to ?? grid.lengthNs) / grid.inner - 1e-6);

		veil.fillStyle = tstream.colours.ground();
		veil.globalAlpha = 0.72;
		for (let cell = 0; cell < cells.length; cell++)
			if (cell < first || cell >= end)
				veil.fillRect(xOf(cell), yOf(cell), grid.cellWidth, grid.cellHeight);
	}

	// --- the mouse ---

	function spanAt(event) {
		const edge = over.getBoundingClientRect();
		const column = Math.floor((event.clientX - edge.left) / grid.cellWidth);
		const line = Math.floor((event.clientY - edge.top) / grid.cellHeight);

		if (column < 0 || line < 0 || column >= grid.columns || line >= grid.rows)
			return null;
		const cell = grid.isLong ? line * grid.nrInner + column : column * grid.nrInner + grid.rows - 1 - line;

		return [cell * grid.inner, (cell + 1) * grid.inner];
	}

	function textAt(span) {
		return `${duration(span[0])} to ${duration(span[1])}: ` +
			count(cells[Math.round(span[0] / grid.inner)], "sample");
	}

	const drag = tstream.dragging(over, spanAt, {
		onMove: mark,
		onDone: handlers.onRange,
		onHover: (span, event) => handlers.onHover(span ? textAt(span) : "", event),
	});

	function show(given, state) {
		data = given;
		const lengthNs = Math.max(data.meta.length_ns, 1);

		cellMs = state.cell || chooseCell(state, lengthNs);
		grid = layGrid(lengthNs, cellMs);
		fit();
		countRows(state);
		draw();
		mark(state.from, state.to);
	}

	return {show, mark, cancel: drag.cancel, cell: () => cellMs, cellName: ms => grid && (grid.isLong ? duration(grid.inner)
		: duration(grid.lengthNs > SHORT ? ms * 1e6 : ms * 1e5))};
};
