// SPDX-License-Identifier: Apache-2.0
//
// Opens pages of `report --html` in one Chromium and does what steps say, until its input ends:
//
//	node page_driver.mjs TOOLS CHROMIUM
//
// TOOLS is a folder whose node_modules has playwright-core and axe-core. A line of input is a visit, as JSON:
//	{"file": PATH, "hash": "#..", "scheme": "dark", "steps": [STEP, ...]}
// It is answered by a line: {"results": [..], "requests": [..], "errors": [..]}, of the whole visit. A step has one or more of
//	"change": {..}	a change of the page's state
//	"press": "t"		a key
//	"type": "text"		letters
//	"drag": ["#lanes", x, y, x, y]	with the mouse, in pixels of the element
//	"click": "#chips button"	on the first such element
//	"until": "text"	an expression that will be true; in vain is an error
//	"value": "text"	an expression, whose value is "value" of the result
//	"axe": true		what axe-core finds
//	"shot": FILE		a picture
// Its result is what the page shows then; the first result is what it shows at first. The first line of output is {"opened": VERSION}, or
// {"failed": REASON} if there is no browser.
import {createRequire} from "node:module";
import fs from "node:fs";
import readline from "node:readline";
import {pathToFileURL} from "node:url";

const LONG_MS = 120000; // a step takes far less, but others may have the CPUs
const OPTIONS = ["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--disable-quic"];
const [, , tools, chromium] = process.argv;
const require = createRequire(`${tools}/package.json`);

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
		title: document.title, faults: document.getElementById("faults").innerText, notes: document.getElementById("notes").innerText,
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

// The page has shown all of a change, and the focus has left a list that was closed: before, keys would still go there.
function isSettled() {
	const dialog = document.getElementById("dialog");

	return typeof tstream !== "undefined" && tstream.page.spent.opened && tstream.page.spent.all !== null &&
		(dialog.open || !dialog.contains(document.activeElement));
}

const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));

class Visit {
	constructor(page, axe) {
		this.page = page;
		this.axe = axe;
		this.answer = {results: [], requests: [], errors: []};
		page.on("console", message => this.answer.errors.push(message.text()));
		page.on("pageerror", error => this.answer.errors.push(error.stack));
		page.on("request", request => this.answer.requests.push(request.url()));
	}

	async settle(step) {
		await this.page.evaluate(drawn);
		await this.page.waitForFunction(isSettled);
		if (step.until)
			await this.page.waitForFunction(step.until, null, {timeout: LONG_MS / 4})
				.catch(() => this.answer.errors.push(`waited in vain after ${JSON.stringify(step)}`));
	}

	async drag([selector, fromX, fromY, toX, toY]) {
		const {mouse} = this.page, place = this.page.locator(selector);

		await place.scrollIntoViewIfNeeded();
		const box = await place.boundingBox();

		await mouse.move(box.x + fromX, box.y + fromY);
		await mouse.down();
		await mouse.move(box.x + toX, box.y + toY, {steps: 5});
		await mouse.up();
	}

	async act(step) {
		const {page} = this;

		if (step.change)
			await page.evaluate(patch => tstream.page.change(patch), step.change);
		if (step.press)
			await page.keyboard.press(step.press);
		if (step.type)
			await page.keyboard.type(step.type);
		if (step.drag)
			await this.drag(step.drag);
		if (step.click)
			await page.locator(step.click).first().click();
		await this.settle(step);
		if (step.shot)
			await page.screenshot({path: step.shot});
		const found = await page.evaluate(shown);

		if (step.value)
			found.value = await page.evaluate(step.value);
		if (step.axe)
			found.axe = await this.faults();
		this.answer.results.push(found);
	}

	// What axe-core finds.
	async faults() {
		await this.page.evaluate(this.axe);
		return (await this.page.evaluate(() => window.axe.run())).violations
			.map(v => `${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 200)}`);
	}

	async run({file, hash, scheme, steps}) {
		await this.page.emulateMedia({colorScheme: scheme});
		await this.page.goto(pathToFileURL(file).href + hash);
		for (const step of [{}, ...steps])
			await this.act(step);
	}
}

// In the one page, because a new one takes seconds. It is left for an empty one between visits: a change of the part behind '#' alone
// would not load it again.
async function visit(page, axe, wanted) {
	const made = new Visit(page, axe);

	await made.run(wanted).catch(error => made.answer.errors.push(`the visit ended: ${error.message}`));
	page.removeAllListeners();
	await page.goto("about:blank");
	return made.answer;
}

const say = answer => process.stdout.write(`${JSON.stringify(answer)}\n`);

async function main() {
	const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
	// The sandbox of Chromium refuses root.
	const browser = await require("playwright-core").chromium.launch({executablePath: chromium, timeout: LONG_MS,
		args: OPTIONS, chromiumSandbox: process.getuid() !== 0});

	const page = await browser.newPage({viewport: {width: 1400, height: 900}});

	page.setDefaultTimeout(LONG_MS);
	say({opened: browser.version()});
	for await (const line of readline.createInterface({input: process.stdin}))
		say(await visit(page, axe, JSON.parse(line)));
	await browser.close();
}

main().catch(error => {
	say({failed: error.message});
	process.exit(1);
});
