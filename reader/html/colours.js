// SPDX-License-Identifier: Apache-2.0
//
// Colours of a picture, in the scheme that is shown. The table of kinds is that of the program.
"use strict";

tstream.colours = (() => {
	let palette = null, kinds = [], isDark = false;
	// Shades of one kind go towards the background, so text on them is read as well.
	const SHADES = [0, 0.07, 0.14];

	const parts = colour => [0, 2, 4].map(i => parseInt(colour.slice(i, i + 2), 16));

	function mix(from, to, part) {
		const [a, b] = [parts(from), parts(to)];

		return a.map((value, i) => Math.round(value + (b[i] - value) * part)
			.toString(16).padStart(2, "0")).join("");
	}

	function hash(text) {
		let value = 7;

		for (let i = 0; i < text.length; i++)
			value = (value * 31 + text.charCodeAt(i)) | 0;
		return (value >>> 4) % SHADES.length;
	}

	// Takes the scheme of the page; call it again when that changes.
	function settle(meta) {
		const wanted = document.documentElement.dataset.scheme;

		palette = meta.palette;
		isDark = wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
		kinds = meta.kinds.map(kind => {
			const plain = isDark ? kind.dark : kind.light;

			return SHADES.map(part => `#${mix(plain, ground(), part)}`);
		});
	}

	const ground = () => isDark ? palette.background_dark : palette.background_light;

	const ofLook = (looks, look) => kinds[looks.kind[look]][hash(looks.name[look])];

	// From less to more: nothing before, or nothing now, is the full colour.
	function ofChange(before, now) {
		const part = before + now > 0 ? (now - before) / (now + before) : 0;

		return `#${mix(palette.same, part < 0 ? palette.less : palette.more, Math.abs(part))}`;
	}

	// A ramp of one hue whose luminance only falls in the light scheme and only grows in the dark one.
	const LIGHT = ["eaf2f8", "a9cfe4", "5fa3cf", "2b6ca3", "123a63"];
	const DARK = ["20262c", "1f4a66", "2b7aa3", "63b3d1", "d3f0f7"];

	function ofHeat(part) {
		const ramp = isDark ? DARK : LIGHT;
		const at = Math.min(part, 0.9999) * (ramp.length - 1);

		return `#${mix(ramp[Math.floor(at)], ramp[Math.floor(at) + 1], at % 1)}`;
	}

	return {
		settle, ofLook, ofChange, ofHeat,
		ofKind: kind => kinds[kind][0],
		ground: () => `#${ground()}`,
		text: () => `#${isDark ? palette.text_dark : palette.text_light}`,
		textOfChange: () => `#${palette.text_light}`,
		idle: () => isDark ? "#4c4c50" : "#cfcfd4", // samples of idle CPUs
		lost: () => `#${palette.more}`, // stripes
	};
})();
