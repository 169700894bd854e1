// SPDX-License-Identifier: Apache-2.0
//
// Measures pages of `report --html` in a browser of their own, by turns:
//
//	node page_speed.mjs CHROMIUM PROFILE RUNS PAGE...
//
// PROFILE is an empty folder. Prints a line of JSON for each page, in ms:
//	{"file": PATH, "picture": [..], "drawn": [..], "parts": [{"part": 0.5, "view": [..], "all": [..]}, ..], "longest": n, "heap": bytes}
// picture: from the begin of the navigation to the first flame graph; drawn: from the wish for a tab to all of the page. A part of
// the time is selected CHANGES times, each time elsewhere. longest: the longest task over 50 ms while the mouse drags; 0: there was none.
//
// The browser is driven by its own protocol, on descriptors 3 and 4, since tools that watch the network read each page a second time.
import {spawn} from "node:child_process";
import {pathToFileURL} from "node:url";

const OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
	"--disable-background-networking", "--remote-debugging-pipe", "--window-size=1400,900"];
const PARTS = [1 / 6, 1 / 2, 1], CHANGES = 20, POLL_MS = 20, STEPS = 40;
const [, , chromium, profile, runs, ...files] = process.argv;

const sleep = ms => new Promise(done => setTimeout(done, ms));

class Browser {
	constructor() {
		this.process = spawn(chromium, [...OPTIONS, `--user-data-dir=${profile}`, "about:blank"],
			{stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
		this.sent = 0;
		this.waiting = new Map();
		this.rest = "";
		this.process.stdio[4].on("data", bytes => this.take(bytes));
	}

	take(bytes) {
		const messages = (this.rest + bytes).split("\0");

		this.rest = messages.pop();
		for (const message of messages.map(JSON.parse)) {
			this.waiting.get(message.id)?.(message);
			this.waiting.delete(message.id);
		}
	}

	send(method, params = {}, sessionId = undefined) {
		const id = ++this.sent;

		this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + "\0");
		return new Promise((done, fail) => this.waiting.set(id, answer => answer.error ? fail(new Error(answer.error.message)) : done(answer.result)));
	}

	async open(file) {
		const begin = performance.now();
		const {targetId} = await this.send("Target.createTarget", {url: pathToFileURL(file).href});
		const {sessionId} = await this.send("Target.attachToTarget", {targetId, flatten: true});
		const page = new Page(this, targetId, sessionId);

		await page.until("typeof tstream !== 'undefined' && tstream.page.spent.all > 0");
		page.drawn = performance.now() - begin;
		return page;
	}
}

class Page {
	constructor(browser, targetId, sessionId) {
		Object.assign(this, {browser, targetId, sessionId});
	}

	async value(expression) {
		const {result} = await this.browser.send("Runtime.evaluate", {expression, returnByValue: true, awaitPromise: true}, this.sessionId);

		return result.value;
	}

	async until(expression) {
		while (!await this.value(expression))
			await sleep(POLL_MS);
	}

	mouse(type, x, y) {
		return this.browser.send("Input.dispatchMouseEvent", {type, x, y, button: "left", buttons: 1, clickCount: 1}, this.sessionId);
	}

	close() {
		return this.browser.send("Target.closeTarget", {targetId: this.targetId});
	}
}

async function selectParts(page) {
	const length = await page.value("tstream.page.data().meta.length_ns");
	const found = [];

	for (const part of PARTS) {
		const times = {part, view: [], all: []};

		for (let i = 0; i < CHANGES; i++) {
			const from = Math.floor(length * (1 - part) * i / CHANGES);

			await page.value(`tstream.page.change({from: ${from}, to: ${Math.floor(from + length * part) - i}})`);
			await page.until("tstream.page.spent.all !== null");
			times.view.push(await page.value("tstream.page.spent.view"));
			times.all.push(await page.value("tstream.page.spent.all"));
		}
		found.push(times);
	}
	return found;
}

async function drag(page) {
	const {x, y} = await page.value("document.querySelector('#lanes').getBoundingClientRect().toJSON()");

	await page.value("globalThis.tasks = [0]; new PerformanceObserver(list => tasks.push(...list.getEntries().map(each => each.duration)))" +
		".observe({type: 'longtask'}); 0");
	await page.mouse("mousePressed", x + 200, y + 30);
	for (let i = 1; i <= STEPS; i++)
		await page.mouse("mouseMoved", x + 200 + 10 * i, y + 30);
	const longest = await page.value("new Promise(done => setTimeout(() => done(Math.max(...tasks)), 200))");

	await page.mouse("mouseReleased", x + 200 + 10 * STEPS, y + 30);
	return longest;
}

async function measure(browser) {
	const found = files.map(file => ({file, picture: [], drawn: []}));

	await sleep(2000); // the browser's own start
	for (let i = 0; i < Number(runs); i++) {
		for (const each of found) {
			const page = await browser.open(each.file);

			each.picture.push(await page.value("tstream.page.spent.opened"));
			each.drawn.push(page.drawn);
			await page.close();
		}
	}
	for (const each of found) {
		const page = await browser.open(each.file);

		each.parts = await selectParts(page);
		each.longest = await drag(page);
		each.heap = await page.value("performance.memory.usedJSHeapSize");
		await page.close();
		console.log(JSON.stringify(each));
	}
}

const browser = new Browser();
const gone = new Promise(done => browser.process.on("exit", done));

await Promise.race([measure(browser), gone.then(() => { throw new Error("the browser ended"); })]);
browser.process.kill();
await gone;
