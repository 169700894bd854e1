// SPDX-License-Identifier: Apache-2.0
//
// The capture: columns of the page become typed arrays, once.
//
//	rows	a sample each, or several equal ones of a bin; in the order of thread, then time; each has its node
//	nodes	of the tree of all stacks: a parent stands before its children
//	looks	of nodes: name, object and kind of a function
"use strict";

const tstream = {}; // each file adds its part

tstream.data = (() => {
	function bytesOf(text) {
		if (Uint8Array.fromBase64)
			return Uint8Array.fromBase64(text);
		const coded = atob(text);
		const bytes = new Uint8Array(coded.length);

		for (let i = 0; i < coded.length; i++)
			bytes[i] = coded.charCodeAt(i);
		return bytes;
	}

	// Calls take(bytes, at) for each part. The element is emptied: its text is as large as the column.
	async function inflate(id, take) {
		const element = document.getElementById(id), stream = new DecompressionStream("deflate");
		const writer = stream.writable.getWriter(), reader = stream.readable.getReader();
		const coded = bytesOf(element.textContent);

		element.textContent = "";
		for (const writing of [writer.write(coded), writer.close()])
			writing.catch(() => {}); // the reader fails, too
		for (let at = 0, part; !(part = await reader.read()).done; at += part.value.length)
			take(part.value, at);
	}

	async function bytes(id) {
		const parts = [];

		await inflate(id, part => parts.push(part));
		return new Uint8Array(await new Blob(parts).arrayBuffer());
	}

	const KINDS = [Uint8Array, Uint8Array, Uint16Array, Uint32Array, Uint32Array];
	const arrayFor = (planes, nr) => new (KINDS[planes] || Float64Array)(nr);

	// Adds a part of a plane to the values from `at` on.
	function addPlane(values, plane, part, at) {
		const unit = 2 ** (8 * plane);

		if (!plane)
			return values.set(part, at);
		for (let i = 0; i < part.length; i++)
			values[at + i] += part[i] * unit;
	}

	// A column of byte planes, the lowest first; without planes all values are 0.
	async function column(id, planes, nr) {
		const values = arrayFor(planes, nr);

		for (let plane = 0; plane < planes; plane++)
			await inflate(`${id}.${plane}`, (part, at) => addPlane(values, plane, part, at));
		return values;
	}

	// Numbers of 7 bits a byte; the highest bit says that the number goes on. isSum: each adds to the one before.
	async function numbers(id, nr, isSum) {
		const coded = await bytes(id);
		const values = new Uint32Array(nr);
		let at = 0;

		for (let i = 0; i < nr; i++) {
			let value = 0, unit = 1;

			for (; coded[at] > 127; at++, unit *= 128)
				value += (coded[at] - 128) * unit;
			values[i] = value + coded[at++] * unit + (isSum && i ? values[i - 1] : 0);
		}
		return values;
	}

	async function lines(id) {
		return new TextDecoder().decode(await bytes(id)).split("\n");
	}

	// --- rows ---

	// CPUs, and times since the start, in units: the first picture is drawn without them.
	async function addTimes(meta, rows) {
		const time = new (meta.length_ns / meta.time_unit_ns < 2 ** 32 ? Uint32Array : Float64Array)(meta.rows);
		const steps = await column("row.time", meta.columns.time, meta.rows);

		meta.threads.rows.forEach((_, thread) => {
			for (let i = rows.first[thread], sum = 0; i < rows.first[thread + 1]; i++)
				time[i] = sum += steps[i];
		});
		rows.cpu = await column("row.cpu", meta.columns.cpu, meta.rows);
		rows.time = time;
	}

	// The deepest node of each row's stack.
	function nodesOf(stack, stackNode) {
		const nodes = new Uint32Array(stack.length);

		for (let i = 0; i < nodes.length; i++)
			nodes[i] = stackNode[stack[i]];
		return nodes;
	}

	// --- the tree ---

	// A mask of nodes, 1: no ancestor has the same number.
	function outermost(tree, numbers, nrNumbers) {
		const open = new Uint32Array(nrNumbers), path = new Uint32Array(65536), mask = new Uint8Array(tree.nr);

		for (let i = 0, length = 0; i < tree.nr; i++) {
			while (length > tree.depth[i])
				open[numbers[path[--length]]]--;
			path[length++] = i;
			mask[i] = open[numbers[i]]++ ? 0 : 1;
		}
		return mask;
	}

	function layTree(look, up, nrLooks) {
		const nr = look.length;
		const tree = {
			nr, look,
			parent: new Int32Array(nr),
			depth: new Uint16Array(nr),
			command: new Uint32Array(nr), // look of its first ancestor
			end: new Uint32Array(nr), // behind its last descendant
		};

		for (let i = 0; i < nr; i++) {
			const parent = up[i] ? i - up[i] : -1;

			tree.parent[i] = parent;
			tree.depth[i] = parent < 0 ? 0 : tree.depth[parent] + 1;
			tree.command[i] = parent < 0 ? look[i] : tree.command[parent];
		}
		for (let i = nr - 1; i >= 0; i--) {
			tree.end[i] = tree.end[i] || i + 1;
			if (up[i])
				tree.end[i - up[i]] = tree.end[i - up[i]] || tree.end[i];
		}
		return {...tree, outermost: outermost(tree, look, nrLooks)};
	}

	async function load() {
		const meta = JSON.parse(document.getElementById("meta").textContent);
		const row = name => column(`row.${name}`, meta.columns[name], meta.rows);
		const [stack, period, event, count, look, up, stackNode, name, kind, object, objects, run, runs] = await Promise.all([
			row("stack"), row("period"), row("event"), row("count"),
			column("tree.look", meta.planes.look, meta.nodes),
			numbers("tree.parent", meta.nodes, false), numbers("stack.node", meta.stacks, true),
			lines("look.name"), bytes("look.kind"),
			column("look.object", meta.planes.object, meta.looks), lines("object.name"),
			column("tree.run", meta.planes.run, meta.nodes), lines("run.text"),
		]);
		let times = null, end = 0;
		const first = Uint32Array.from([0, ...meta.threads.rows.map(nr => end += nr)]); // row of each thread
		const rows = {node: nodesOf(stack, stackNode), first, event,
			period: meta.columns.period ? period : null, count: meta.step_ns ? count : null};

		return {
			meta, rows, withTimes: () => times ||= addTimes(meta, rows),
			tree: layTree(look, up, meta.looks),
			looks: {nr: meta.looks, name, kind, object, longest: name.reduce((most, text) => Math.max(most, text.length), 1)},
			objects, run: node => runs[run[node]],
			isIdle: meta.threads.tid.map((tid, i) => !tid && !meta.threads.pid[i] && !meta.threads.merged[i]),
			kinds: Object.fromEntries(meta.kinds.map((k, i) => [k.name, i])),
		};
	}

	return {load, outermost};
})();
