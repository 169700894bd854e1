// SPDX-License-Identifier: Apache-2.0
//
// Numbers, times and elements. Names of captures become text of elements, never markup.
"use strict";

tstream.words = (() => {
	const grouped = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

	const count = (nr, name) => `${grouped.format(nr)} ${name}${nr === 1 ? "" : "s"}`;
	const share = (part, whole) => whole ? `${(100 * part / whole).toFixed(2)}%` : "-";

	// "20 ms", "1.250 s"; of long captures "2 h 03 min 04 s"
	function duration(ns) {
		const s = ns / 1e9;
		const two = value => String(Math.floor(value)).padStart(2, "0");

		if (s < 0.1)
			return s ? `${Number((s * 1000).toPrecision(3))} ms` : "0 s";
		if (s < 600)
			return `${s.toFixed(3)} s`;
		return s < 3600 ? `${Math.floor(s / 60)} min ${two(s % 60)} s`
			: `${Math.floor(s / 3600)} h ${two(s / 60 % 60)} min ${two(s % 60)} s`;
	}

	function weight(value, event, isPeriod) {
		if (isPeriod && event.unit === "ns")
			return duration(value);
		return isPeriod ? grouped.format(value) : count(value, "sample");
	}

	// An element with text, attributes and listeners: {class: "..", onclick: f, "aria-label": ".."}.
	function element(name, attributes, ...children) {
		const made = document.createElement(name);

		for (const [key, value] of Object.entries(attributes || {}))
			if (typeof value === "function")
				made.addEventListener(key.slice(2), value);
			else if (value !== null && value !== false)
				made.setAttribute(key, value === true ? "" : value);
		made.append(...children);
		return made;
	}

	const place = id => document.getElementById(id);
	const button = (text, title, onclick, attributes) =>
		element("button", {type: "button", title, onclick, ...attributes}, text);

	// New children of a host. Where a button had the focus, the one like it has it, or the one in its place.
	function renew(host, ...children) {
		const had = document.activeElement, at = [...host.querySelectorAll("button")].indexOf(had);
		const textOf = each => each.textContent + each.title;

		host.replaceChildren(...children);
		host.hidden = !children.length;
		if (at < 0)
			return;
		const now = [...host.querySelectorAll("button")], alike = now.filter(each => textOf(each) === textOf(had));
		const next = alike.includes(now[at]) ? now[at] : alike[0] || now[Math.min(at, now.length - 1)];

		(next || host.closest("section").querySelector("button")).focus({preventScroll: true});
	}

	// "main (workload)": the function and its object.
	function lookText(data, look) {
		const object = data.objects[data.looks.object[look]];

		return object ? `${data.looks.name[look]} (${object})` : data.looks.name[look];
	}

	const cpuText = cpu => cpu ? `CPU ${cpu - 1}` : "CPU unknown";

	function threadText(data, thread) {
		const {name, process, tid, merged, capture} = data.meta.threads;
		const host = data.meta.captures.length > 1 ? ` on ${hostText(data, capture[thread])}` : "";

		if (merged[thread])
			return name[thread]; // of any captures
		return process[thread] && process[thread] !== name[thread]
			? `${name[thread]} ${tid[thread]} of ${process[thread]}${host}`
			: `${name[thread]} ${tid[thread]}${host}`;
	}

	function hostText(data, capture) {
		const {host, path} = data.meta.captures[capture];
		const isAlone = data.meta.captures.filter(c => c.host === host).length === 1;

		return host && isAlone ? host : path;
	}

	return {count, share, duration, weight, element, button, renew, place, lookText, cpuText, threadText,
		hostText};
})();
