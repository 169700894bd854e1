// SPDX-License-Identifier: Apache-2.0
//
// The capture: columns of the page become typed arrays, once.
//
//	rows	a sample each, or several equal ones of a bin; in the order of thread, then time
//	stacks	different call stacks; a row has one, and a stack has its deepest node
//	nodes	of the tree of all stacks: a parent stands before its children
//	looks	of nodes: name, object and kind of a function
"use strict";

const tstream = {}; // each file adds its part

tstream.data = (() => {
	function bytesOf(text) {
		const coded = atob(text);
		const bytes = new Uint8Array(coded.length);

		for (let i = 0; i < coded.length; i++)
			bytes[i] = coded.charCodeAt(i);
		return bytes;
	}

	// The element is emptied: its text is as large as the column.
	async function inflate(id) {
		const element = document.getElementById(id);
		const coded = new Blob([bytesOf(element.textContent.trim())]);
		const plain = coded.stream().pipeThrough(new DecompressionStream("deflate"));

		element.textContent = "";
		return new Uint8Array(await new Response(plain).arrayBuffer());
	}

	function arrayFor(planes, nr) {
		if (planes > 4)
			return new Float64Array(nr);
		return planes > 2 ? new Uint32Array(nr) : planes > 1 ? new Uint16Array(nr) : new Uint8Array(nr);
	}

	// A column of byte planes, the lowest first; without planes all values are 0.
	async function column(id, planes, nr) {
		const values = arrayFor(planes, nr);
		const parts = await Promise.all(Array.from({length: planes}, (_, k) => inflate(`${id}.${k}`)));

		parts.forEach((part, k) => {
			const unit = 2 ** (8 * k);

			for (let i = 0; i < nr; i++)
				values[i] += part[i] * unit;
		});
		return values;
	}

	// Numbers of 7 bits a byte; the highest bit says that the number goes on. isSum: each adds to the one before.
	async function numbers(id, nr, isSum) {
		const bytes = await inflate(id);
		const values = new Uint32Array(nr);
		let at = 0;

		for (let i = 0; i < nr; i++) {
			let value = 0, unit = 1;

			for (; bytes[at] > 127; at++, unit *= 128)
				value += (bytes[at] - 128) * unit;
			values[i] = value + bytes[at++] * unit + (isSum && i ? values[i - 1] : 0);
		}
		return values;
	}

	async function lines(id) {
		return new TextDecoder().decode(await inflate(id)).split("\n");
	}

	// --- rows ---

	// Times since the start, in units; the thread of each row; where the rows of each thread begin.
	function layRows(meta, steps) {
		const nrThreads = meta.threads.rows.length;
		const isSmall = meta.length_ns / meta.time_unit_ns < 2 ** 32;
		const rows = {
			time: isSmall ? new Uint32Array(meta.rows) : new Float64Array(meta.rows),
			thread: arrayFor(nrThreads > 65535 ? 4 : 2, meta.rows),
			first: new Uint32Array(nrThreads + 1),
		};
		let at = 0;

		for (let thread = 0; thread < nrThreads; thread++) {
			const end = at + meta.threads.rows[thread];

			for (let time = 0; at < end; at++) {
				time += steps[at];
				rows.time[at] = time;
				rows.thread[at] = thread;
			}
			rows.first[thread + 1] = at;
		}
		return rows;
	}

	// --- the tree ---

	// A mask of nodes, 1: no ancestor has the same number.
	function outermost(tree, numbers, nrNumbers) {
		const open = new Uint32Array(nrNumbers), path = [];

		return numbers.map((number, i) => {
			while (path.length > tree.depth[i])
				open[numbers[path.pop()]]--;
			path.push(i);
			return open[number]++ ? 0 : 1;
		});
	}

	function layTree(look, up, nrLooks) {
		const nr = look.length;
		const tree = {
			nr, look,
			parent: new Int32Array(nr),
			depth: new Uint16Array(nr),
			command: new Uint32Array(nr), // look of its first ancestor
		};

		for (let i = 0; i < nr; i++) {
			const parent = up[i] ? i - up[i] : -1;

			tree.parent[i] = parent;
			tree.depth[i] = parent < 0 ? 0 : tree.depth[parent] + 1;
			tree.command[i] = parent < 0 ? look[i] : tree.command[parent];
		}
		return {...tree, outermost: outermost(tree, look, nrLooks)};
	}

	async function load() {
		const meta = JSON.parse(document.getElementById("meta").textContent);
		const row = name => column(`row.${name}`, meta.columns[name], meta.rows);
		const [steps, stack, cpu, period, event, count, look, up, stackNode, name, kind, object, objects] =
			await Promise.all([
				row("time"), row("stack"), row("cpu"), row("period"), row("event"), row("count"),
				column("tree.look", meta.planes.look, meta.nodes),
				numbers("tree.parent", meta.nodes, false), numbers("stack.node", meta.stacks, true),
				lines("look.name"), inflate("look.kind"),
				column("look.object", meta.planes.object, meta.looks), lines("object.name"),
			]);

		return {
			meta,
			rows: {nr: meta.rows, stack, cpu, event, ...layRows(meta, steps),
				period: meta.columns.period ? period : null,
				count: meta.step_ns ? count : null},
			tree: layTree(look, up, meta.looks),
			stackNode,
			looks: {nr: meta.looks, name, kind, object, longest: name.reduce((most, text) => Math.max(most, text.length), 1)},
			objects,
			isIdle: meta.threads.tid.map((tid, i) => !tid && !meta.threads.pid[i] && !meta.threads.merged[i]),
			kinds: Object.fromEntries(meta.kinds.map((k, i) => [k.name, i])),
		};
	}

	return {load, outermost};
})();
