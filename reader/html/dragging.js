// SPDX-License-Identifier: Apache-2.0
//
// A time range by mouse: a drag takes it from its first point to its last one. A click takes a point as the
// start, and the next click is the end.
//
// spanAt(event) is the time under the mouse, [from, to], or null beside the picture.
"use strict";

tstream.dragging = (canvas, spanAt, handlers) => {
	let start = null; // of a drag, or the first of two clicks
	let isDragged = false, isDown = false;

	const rangeTo = span => [Math.min(start[0], span[0]), Math.max(start[1], span[1])];

	function end(span) {
		const range = rangeTo(span);

		start = null;
		handlers.onDone(range[0], range[1]);
	}

	function down(event) {
		const span = event.button ? null : spanAt(event);

		if (!span)
			return;
		canvas.setPointerCapture(event.pointerId);
		isDown = true;
		isDragged = Boolean(start); // the second click
		start = start || span;
		handlers.onMove(...rangeTo(span));
	}

	function move(event) {
		const span = spanAt(event);

		handlers.onHover(span, event);
		if (!start || !span)
			return;
		isDragged = isDragged || (isDown && span[0] !== start[0]);
		handlers.onMove(...rangeTo(span));
	}

	function up(event) {
		if (!isDown)
			return;
		isDown = false;
		if (isDragged)
			end(spanAt(event) || start);
	}

	canvas.addEventListener("pointerdown", down);
	canvas.addEventListener("pointermove", move);
	canvas.addEventListener("pointerup", up);
	canvas.addEventListener("pointercancel", () => { isDown = false; start = null; });
	canvas.addEventListener("pointerleave", event => handlers.onHover(null, event));

	// Forgets the first of two clicks. Returns whether there was one.
	return {cancel: () => { const was = start !== null; start = null; return was; }};
};
