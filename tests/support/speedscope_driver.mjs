// SPDX-License-Identifier: Apache-2.0
//
// Opens a file in speedscope, in Chromium, and saves what speedscope has read, in its own format:
//
//	node speedscope_driver.mjs TOOLS CHROMIUM SPEEDSCOPE FILE SAVED >RESULT.json
//
// TOOLS is a folder whose node_modules has playwright-core; SPEEDSCOPE is the folder of the npm package speedscope.
// The result has "requests" and "errors" of the visit. A folder beside SAVED gets a script that holds FILE.
import {createRequire} from "node:module";
import fs from "node:fs";
import path from "node:path";

const [, , tools, chromium, speedscope, file, saved] = process.argv;
const browsers = createRequire(`${tools}/package.json`)("playwright-core");
const browser = await browsers.chromium.launch({executablePath: chromium, args: ["--no-sandbox", "--disable-gpu",
	"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"]});
const page = await browser.newPage({viewport: {width: 1400, height: 900}, acceptDownloads: true});
const errors = [], requests = [];
const script = `${saved}.js`;

page.on("pageerror", error => errors.push(error.stack));
page.on("request", request => requests.push(request.url()));
page.on("dialog", dialog => {
	errors.push(dialog.message());
	dialog.dismiss();
});
fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, ` +
	`"${fs.readFileSync(file).toString("base64")}")`);
await page.goto(`file://${speedscope}/dist/release/index.html#localProfilePath=${script}`);
await page.waitForFunction(() => document.body.innerText.includes("Sandwich") || /went wrong|Failed/.test(document.body.innerText),
	null, {timeout: 60000});
const begun = page.waitForEvent("download", {timeout: 30000}).catch(error => errors.push(String(error)));

await page.keyboard.press("Control+s");
const download = await begun;

if (download.saveAs)
	await download.saveAs(saved);
await browser.close();
fs.unlinkSync(script);
console.log(JSON.stringify({errors, requests}));
