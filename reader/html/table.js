// SPDX-License-Identifier: Apache-2.0
//
// The functions of the selection as a table: those with the highest weight, and the rest as one row. Two
// selections are compared side by side.
"use strict";

tstream.table = (host, handlers) => {
	const {element, button, renew, share, count} = tstream.words;
	const ROWS = 200;
	const TEXTS = {
		self: "Self", total: "Total: with all that it calls", samples: "Samples: of the function itself",
		name: "Function", object: "Object: program, library or kernel", before: "Self in A",
		change: "Change: of the share of self, B less A", totalChange: "Change of total",
	};
	const COLUMNS = ["self", "total", "samples", "name", "object"];
	const CHANGES = ["change", "before", "self", "totalChange", "name", "object"];
	let sort = {key: "self", isUp: false}, wasCompared = false;

	const part = (values, look, sum) => sum ? values[look] / sum : 0;

	// --- rows ---

	function rowOf(data, view, before, look) {
		const row = {
			look,
			self: view.look.self[look], total: view.look.total[look],
			samples: view.look.samples[look],
			name: data.looks.name[look], object: data.objects[data.looks.object[look]],
		};

		if (!before)
			return row;
		row.before = before.look.self[look];
		row.change = part(view.look.self, look, view.sum) - part(before.look.self, look, before.sum);
		row.totalChange = part(view.look.total, look, view.sum) - part(before.look.total, look, before.sum);
		return row;
	}

	function compare(a, b) {
		const key = sort.key, isText = key === "name" || key === "object";
		const isChange = key === "change" || key === "totalChange";
		const order = isText ? a[key].localeCompare(b[key])
			: isChange ? Math.abs(a[key]) - Math.abs(b[key]) : a[key] - b[key];

		return (sort.isUp ? order : -order) || b.self - a.self || b.total - a.total || a.look - b.look;
	}

	// All rows of frames: commands are no functions.
	function list(scene) {
		const {data, view, before} = scene;
		const rows = [];

		for (let look = 0; look < data.looks.nr; look++) {
			const isThere = view.look.total[look] || before?.look.total[look];

			if (isThere && data.looks.kind[look] !== data.kinds.command &&
					(!scene.found || scene.found[look]))
				rows.push(rowOf(data, view, before, look));
		}
		return rows.sort(compare);
	}

	// --- elements ---

	function heading(key) {
		const isSorted = sort.key === key;
		const text = key === "self" && wasCompared ? "Self in B" : TEXTS[key];
		const label = button(text.split(":")[0], text, () => {
			sort = {key, isUp: isSorted ? !sort.isUp : key === "name" || key === "object"};
			handlers.onSort();
		});

		return element("th", {scope: "col", class: key,
			"aria-sort": isSorted ? sort.isUp ? "ascending" : "descending" : "none"}, label);
	}

	const signed = value => `${value > 0 ? "+" : value < 0 ? "−" : ""}${(100 * Math.abs(value)).toFixed(2)}%`;

	function bar(value, sum) {
		const cell = element("td", {class: "share"});
		const fill = element("span", {class: "fill", "aria-hidden": "true"});

		fill.style.width = `${sum ? 100 * value / sum : 0}%`;
		cell.append(fill, element("span", {}, share(value, sum)));
		return cell;
	}

	const change = value => element("td", {class: value < 0 ? "less" : "more"}, signed(value));

	function functionCell(scene, row) {
		const kind = scene.data.meta.kinds[scene.data.looks.kind[row.look]].name;

		return element("td", {class: "name"},
			element("span", {class: "kind", title: kind}),
			button(row.name, "callers and callees of this function", () => handlers.onFunction(row.look)));
	}

	function lineOf(scene, row) {
		const {view, before} = scene;
		const line = element("tr", {"data-look": row.look, "data-self": row.self,
			"data-total": row.total, "data-samples": row.samples});
		const numbers = before
			? [change(row.change), bar(row.before, before.sum), bar(row.self, view.sum),
				change(row.totalChange)]
			: [bar(row.self, view.sum), bar(row.total, view.sum),
				element("td", {class: "number"}, row.samples.toLocaleString("en-US"))];

		line.append(...numbers, functionCell(scene, row), element("td", {class: "object"}, row.object));
		line.querySelector(".kind").style.background = tstream.colours.ofKind(scene.data.looks.kind[row.look]);
		return line;
	}

	// Of what is not listed: rows, and their self. Totals of functions do not add up.
	function restLine(scene, rows) {
		const {view, before} = scene;
		const self = rows.reduce((sum, row) => sum + row.self, 0);
		const samples = rows.reduce((sum, row) => sum + row.samples, 0);
		const text = element("td", {class: "name", colspan: 2}, count(rows.length, "more function"));
		const line = element("tr", {class: "rest", "data-rest": rows.length, "data-self": self,
			"data-samples": samples});

		if (before)
			line.append(element("td"), element("td"), bar(self, view.sum), element("td"), text);
		else
			line.append(bar(self, view.sum), element("td"),
				element("td", {class: "number"}, samples.toLocaleString("en-US")), text);
		return line;
	}

	// scene: {data, view, before: null or what is compared with, found: null or a mask of looks}
	function show(scene) {
		const columns = scene.before ? CHANGES : COLUMNS;

		if (wasCompared !== Boolean(scene.before))
			sort = {key: columns[0], isUp: false};
		wasCompared = Boolean(scene.before);
		const rows = list(scene);
		const body = rows.slice(0, ROWS).map(row => lineOf(scene, row));

		if (rows.length > ROWS)
			body.push(restLine(scene, rows.slice(ROWS)));
		if (!rows.length)
			body.push(element("tr", {}, element("td", {colspan: columns.length}, "no functions")));
		renew(host,
			element("thead", {}, element("tr", {}, ...columns.map(heading))),
			element("tbody", {}, ...body));
	}

	return {show};
};
