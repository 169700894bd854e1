// SPDX-License-Identifier: Apache-2.0
//
// Parts of pictures of time: canvases in the resolution of the screen, and stripes.
"use strict";

tstream.canvas = (() => {
	// Canvases that lie on each other, empty; the first has the ground and letters.
	function resize(canvases, width, height) {
		for (const canvas of canvases) {
			canvas.width = width * devicePixelRatio;
			canvas.height = height * devicePixelRatio;
			canvas.style.width = `${width}px`;
			canvas.style.height = `${height}px`;
			canvas.getContext("2d").scale(devicePixelRatio, devicePixelRatio);
		}
		const g = canvases[0].getContext("2d");

		g.fillStyle = tstream.colours.ground();
		g.fillRect(0, 0, width, height);
		g.font = '11px system-ui, "DejaVu Sans", sans-serif';
	}

	// Stripes: time whose samples were lost.
	function hatch(g, x, y, width, height) {
		g.save();
		g.beginPath();
		g.rect(x, y, width, height);
		g.clip();
		g.strokeStyle = tstream.colours.lost();
		g.lineWidth = 2;
		g.beginPath();
		for (let at = x - height; at < x + width; at += 6) {
			g.moveTo(at, y + height);
			g.lineTo(at + height, y);
		}
		g.stroke();
		g.restore();
	}

	return {resize, hatch};
})();
