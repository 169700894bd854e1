// SPDX-License-Identifier: Apache-2.0
//
// Opens a page of `report --html` in Chromium and does what the steps say:
//
//	node page_driver.mjs TOOLS CHROMIUM PAGE STEPS.json >RESULTS.json
//
// TOOLS is a folder whose node_modules has playwright-core and axe-core. A step is one of
//	{"change": {..}}	a change of the page's state
//	{"press": "t"}		a key
//	{"type": "text"}	letters
//	{"drag": ["#lanes", x, y, x, y]}	with the mouse, in pixels of the element
//	{"click": "#chips button"}	on the first such element
//	{"value": "text"}	an expression, whose value is "value" of the result
//	{"axe": true}		what axe-core finds
//	{"shot": FILE}		a picture
// Its result is what the page shows then. "requests" and "errors" are those of the whole visit.
import {createRequire} from "node:module";
import fs from "node:fs";

const [, , tools, chromium, file, stepsFile] = process.argv;
const require = createRequire(`${tools}/package.json`);
const browsers = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const steps = JSON.parse(fs.readFileSync(stepsFile, "utf8"));
const browser = await browsers.chromium.launch({executablePath: chromium, args: ["--no-sandbox", "--disable-gpu",
	"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"]});
const page = await browser.newPage({viewport: {width: 1400, height: 900}, colorScheme: steps.scheme || "light"});
const errors = [], requests = [];

page.on("console", message => errors.push(message.text()));
page.on("pageerror", error => errors.push(error.stack));
page.on("request", request => requests.push(request.url()));

function shown() {
	const own = document.getElementById("sum").dataset;
	const lines = [...document.querySelectorAll("#functions tbody tr[data-look]")];
	const rest = document.querySelector("#functions tr.rest");
	const {spent, state, data} = tstream.page;

	return {
		samples: Number(own.samples), period: Number(own.period), spent, state: state(),
		rows: lines.map(line => ({
			name: line.querySelector(".name").textContent, object: line.querySelector(".object").textContent,
			self: Number(line.dataset.self), total: Number(line.dataset.total), samples: Number(line.dataset.samples),
		})),
		rest: rest ? {nr: Number(rest.dataset.rest), self: Number(rest.dataset.self), samples: Number(rest.dataset.samples)} : null,
		matched: Number(document.getElementById("matched").dataset.samples || -1),
		title: document.title, faults: document.getElementById("faults").innerText,
		isDialogOpen: document.getElementById("dialog").open, dialog: document.getElementById("dialog").innerText,
		current: document.getElementById("current-text").textContent,
		node: document.getElementById("flame").getAttribute("aria-activedescendant"),
		focus: document.activeElement.id, focusText: document.activeElement.tagName === "BODY" ? "" : document.activeElement.textContent + document.activeElement.title,
		facts: document.getElementById("facts").textContent, said: document.getElementById("matched").textContent,
		sandwichSum: document.getElementById("sandwich-sum").textContent, sandwich: !document.getElementById("sandwich").hidden,
		chips: document.getElementById("chips").innerText, crumbs: document.querySelectorAll("#crumbs li").length,
		hash: decodeURIComponent(location.hash), length_ns: data().meta.length_ns,
	};
}

async function drag([selector, fromX, fromY, toX, toY]) {
	const box = await page.locator(selector).boundingBox();

	await page.mouse.move(box.x + fromX, box.y + fromY);
	await page.mouse.down();
	await page.mouse.move(box.x + toX, box.y + toY, {steps: 5});
	await page.mouse.up();
}

async function act(step) {
	if (step.change)
		await page.evaluate(patch => tstream.page.change(patch), step.change);
	if (step.press)
		await page.keyboard.press(step.press);
	if (step.type)
		await page.keyboard.type(step.type);
	if (step.drag)
		await drag(step.drag);
	if (step.click)
		await page.locator(step.click).first().click();
	await page.waitForFunction(() => tstream.page.spent.all !== null);
	if (step.shot)
		await page.screenshot({path: step.shot});
	const found = await page.evaluate(shown);

	if (step.value)
		found.value = await page.evaluate(step.value);
	if (step.axe) {
		await page.evaluate(axe);
		found.axe = (await page.evaluate(() => window.axe.run())).violations
			.map(v => `${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 200)}`);
	}
	return found;
}

await page.goto(`file://${file}`);
await page.waitForFunction(() => typeof tstream !== "undefined" && tstream.page.spent.opened &&
	tstream.page.spent.all !== null, null, {timeout: 120000});
const results = [];

for (const step of [{}, ...steps.steps])
	results.push(await act(step));
await browser.close();
console.log(JSON.stringify({results, errors, requests}));
