// SPDX-License-Identifier: Apache-2.0
//
// A flame graph on a canvas. The tree beside it, which is not seen, has the same for screen readers:
// the node, the way to it, and its children.
//
//	scene.tree	{nr, look[], parent[], depth[]}; parents stand before their children
//	scene.width[]	of each node; below its parent's
//	scene.sum	the width of all
//	scene.zoom	the node that fills the width; -1: all
//
// Boxes below half a pixel are joined; what is in them is not laid out.
"use strict";

tstream.flame = (host, handlers) => {
	const {element} = tstream.words;
	const ROW = 18, LETTERS_LEAST = 3, BOX_LEAST = 0.5, ROWS_MOST = 1500;
	const ROW_LEAST = 8; // pixels: narrower boxes do not make the picture higher
	const canvas = element("canvas", {"aria-hidden": "true"});
	const items = element("div", {class: "unseen"});
	const g = canvas.getContext("2d", {alpha: false});
	let scene = null, boxes = [], byNode = new Map(), nrRows = 0, isCut = false, current = -1, letter = 0;

	host.append(canvas, items);

	// --- where boxes are ---

	function joinSmall(run, parent, x, width, row) {
		if (run.parent === parent && Math.abs(run.x + run.width - x) < 0.01) {
			run.width += width;
			run.nr++;
			return run;
		}
		flush(run);
		return {parent, x, width, row, nr: 1};
	}

	function flush(run) {
		if (run.width >= BOX_LEAST)
			boxes.push({x: run.x, width: run.width, row: run.row, node: -1, nr: run.nr});
	}

	// One pass: each node takes its place behind the sibling before it.
	function layOut(pixels) {
		const {tree, width, zoom} = scene;
		const whole = zoom < 0 ? scene.sum : width[zoom];
		const top = zoom < 0 ? 0 : tree.depth[zoom];
		const free = new Float64Array(tree.nr); // where the next child goes; 0: not shown
		let at = 1, run = {parent: -2, x: 0, width: 0, row: 0, nr: 0};

		boxes = [];
		nrRows = 1;
		for (let i = Math.max(zoom, 0); i < tree.nr && whole; i++) {
			const parent = tree.parent[i], pixel = pixels * width[i] / whole;
			let x;

			if (i === zoom || (zoom < 0 && parent < 0)) {
				x = at;
				at += pixel;
			} else if (parent >= 0 && free[parent]) {
				x = free[parent];
				free[parent] += pixel;
			} else {
				continue;
			}
			const row = tree.depth[i] - top;

			if (pixel < BOX_LEAST || row >= ROWS_MOST) {
				run = joinSmall(run, parent, x - 1, pixel, row);
				i = tree.end ? tree.end[i] - 1 : i;
				continue;
			}
			free[i] = x; // one pixel behind its place, so it is not 0
			boxes.push({x: x - 1, width: pixel, row, node: i});
			if (pixel >= ROW_LEAST)
				nrRows = Math.max(nrRows, row + 1);
		}
		flush(run);
		isCut = boxes.some(box => box.row >= nrRows);
		boxes = boxes.filter(box => box.row < nrRows);
		byNode = new Map(boxes.map((box, i) => [box.node, i]));
	}

	// --- drawing ---

	const topOf = box => (scene.isIcicle ? box.row : nrRows - 1 - box.row) * ROW;

	function drawText(box, text) {
		const room = Math.floor((box.width - 6) / letter);

		if (room < LETTERS_LEAST)
			return;
		g.fillText(text.length > room ? `${text.slice(0, room - 1)}…` : text, box.x + 3, topOf(box) + ROW - 5);
	}

	function drawBox(box) {
		const isFound = box.node >= 0 && (!scene.found || scene.found(box.node));
		const width = Math.max(box.width - (box.width > 2 ? 1 : 0), 0.5);

		g.globalAlpha = isFound ? 1 : 0.35;
		g.fillStyle = box.node < 0 ? "#808080" : scene.colour(box.node);
		g.fillRect(box.x, topOf(box), width, ROW - 1);
		if (box.node >= 0) {
			g.fillStyle = scene.textColour;
			drawText(box, scene.label(box.node));
		}
		g.globalAlpha = 1;
	}

	function drawFrame(box) {
		if (!box)
			return;
		g.strokeStyle = tstream.colours.text();
		g.lineWidth = 2;
		g.strokeRect(box.x + 1, topOf(box) + 1, Math.max(box.width - 3, 1), ROW - 3);
	}

	function draw() {
		const pixels = Math.max(host.clientWidth, 200);
		const height = nrRows * ROW;
		const scale = height * devicePixelRatio < 32000 ? devicePixelRatio : 1;

		canvas.width = pixels * scale;
		canvas.height = height * scale;
		canvas.style.height = `${height}px`;
		g.scale(scale, scale);
		g.fillStyle = tstream.colours.ground();
		g.fillRect(0, 0, pixels, height);
		g.font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
		letter = letter || g.measureText("MMMMMMMMMM").width / 10;
		boxes.forEach(drawBox);
		drawFrame(boxes[byNode.get(current)]);
	}

	// --- for screen readers and keys ---

	function childrenOf(node) {
		return boxes.filter(box => box.node >= 0 && scene.tree.parent[box.node] === node).map(box => box.node);
	}

	function listItem(node, level) {
		return element("div", {role: "treeitem", id: `${host.id}-${node}`, "aria-level": level,
			"aria-selected": String(node === current)}, scene.title(node));
	}

	// The way to the current node, and its children.
	function listItems() {
		const way = [];

		for (let node = current; node >= 0; node = scene.tree.parent[node])
			way.unshift(node);
		const below = childrenOf(current);

		items.replaceChildren(...way.map((node, i) => listItem(node, i + 1)),
			...below.map(node => listItem(node, way.length + 1)));
		if (current >= 0)
			host.setAttribute("aria-activedescendant", `${host.id}-${current}`);
		else
			host.removeAttribute("aria-activedescendant");
	}

	function setCurrent(node) {
		current = node;
		draw();
		listItems();
		const box = boxes[byNode.get(node)];

		if (box && host.scrollHeight > host.clientHeight)
			host.scrollTop = topOf(box) - host.clientHeight / 2;
		handlers.onCurrent(node);
	}

	// The neighbour in the same row: -1 to the left, 1 to the right.
	function beside(step) {
		const own = boxes[byNode.get(current)];
		const row = boxes.filter(box => box.node >= 0 && own && box.row === own.row).sort((a, b) => a.x - b.x);

		return row[row.indexOf(own) + step]?.node ?? current;
	}

	const widest = nodes => nodes.reduce((best, node) => best < 0 || scene.width[node] > scene.width[best] ? node : best, -1);

	// Moves away from the root or towards it, or to a neighbour. Returns whether it moved.
	function move(key) {
		const isDown = key === (scene.isIcicle ? "ArrowDown" : "ArrowUp");
		const isUp = key === (scene.isIcicle ? "ArrowUp" : "ArrowDown");
		let next = current;

		if (current < 0 || !byNode.has(current))
			next = boxes.find(box => box.node >= 0)?.node ?? -1;
		else if (isDown)
			next = widest(childrenOf(current));
		else if (isUp)
			next = scene.tree.parent[current];
		else
			next = beside(key === "ArrowLeft" ? -1 : 1);
		if (next < 0 || !byNode.has(next))
			return false;
		setCurrent(next);
		return true;
	}

	// --- the mouse ---

	function boxAt(event) {
		const edge = canvas.getBoundingClientRect();
		const x = event.clientX - edge.left, y = event.clientY - edge.top;
		const line = Math.floor(y / ROW);
		const row = scene.isIcicle ? line : nrRows - 1 - line;

		return boxes.find(box => box.row === row && x >= box.x && x < box.x + box.width);
	}

	canvas.addEventListener("pointermove", event => {
		const box = scene && boxAt(event);

		canvas.style.cursor = box && box.node >= 0 ? "pointer" : "default";
		handlers.onHover(box ? box.node >= 0 ? scene.title(box.node)
			: `${box.nr} small functions: zoom in to see them` : "", event);
	});
	canvas.addEventListener("pointerleave", event => handlers.onHover("", event));
	canvas.addEventListener("click", event => {
		const box = scene && boxAt(event);

		if (!box || box.node < 0)
			return;
		current = box.node;
		handlers.onZoom(box.node);
	});

	function show(wanted) {
		const isNew = ["tree", "zoom", "isIcicle"].some(key => wanted[key] !== scene?.[key]);

		if (wanted.tree !== scene?.tree)
			current = -1;
		scene = wanted;
		layOut(Math.max(host.clientWidth, 200));
		draw();
		listItems();
		if (isNew) // the root, or what fills the width
			host.scrollTop = scene.isIcicle ? 0 : host.scrollHeight;
	}

	// Returns whether there is a current node.
	function zoom() {
		if (current >= 0)
			handlers.onZoom(current);
		return current >= 0;
	}

	return {show, move, zoom, setCurrent, current: () => current, isCut: () => isCut,
		nodes: () => boxes.filter(box => box.node >= 0).map(box => box.node)};
};
