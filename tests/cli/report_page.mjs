// report_page.mjs WEB CHROMIUM FOLDER RESULT...: page.html of FOLDER in a browser that has no network, then timeline.html
// (report_timeline.mjs), whatif.html (report_views.mjs), fuzzed_*.html and hostile.html (report_fuzzed.mjs). One browser, and as few pages as there can be: each tab is a
// press away.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check_fuzzed } from "./report_fuzzed.mjs";
import { check_timeline } from "./report_timeline.mjs";
import { check_views } from "./report_views.mjs";

const [web, chromium_path, folder, ...names] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(join(web, "node_modules/playwright-core/index.mjs")).href);
const axe = readFileSync(join(web, "node_modules/axe-core/axe.min.js"), "utf8");
const said = [];
const asked = [];

const browser = await chromium.launch({ executablePath: chromium_path, args: ["--no-sandbox"] });

async function open_file(file, settings, tab) {
  const context = await browser.newContext({ offline: true, ...settings });
  const page = await context.newPage();
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("dialog", (dialog) => said.push(`dialog ${dialog.message()}`));
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${pathToFileURL(join(folder, file)).href}#tab=${tab + 1}`);
  await page.waitForSelector("h1:visible");
  return page;
}

const open = (settings, tab) => open_file("page.html", settings, tab);

async function go_to(page, tab) {
  await page.evaluate((place) => (location.hash = `tab=${place}`), tab + 1);
  await page.waitForSelector(`#result-${tab}:not(.hidden)`);
}

// The open tab; in a second scheme of colours only these differ.
async function check_access(page, what, rules = []) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  const settings = { resultTypes: ["violations"], ...(rules.length ? { runOnly: rules } : {}) };
  const found = await page.evaluate((of) => window.axe.run(document, of), settings);
  const serious = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
  assert.deepEqual(serious.map((one) => [one.id, one.nodes[0].html]), [], what);
}

const panel = (page, tab) => page.locator(`#result-${tab}`);
const cells = (table, key) => table.locator(`td[data-column="${key}"]`).allTextContents();

// Every column chosen and every row shown: each cell's exact value is that of the JSON.
async function check_numbers(page, tab) {
  const source = JSON.parse(readFileSync(join(folder, names[tab]), "utf8"));
  for (const [name, rows] of Object.entries(source.tables ?? {})) {
    if (rows.length === 0) continue;
    const table = panel(page, tab).locator(`section[data-table="${name}"]`);
    await table.locator("details").evaluate((one) => (one.open = true));
    await table.locator("input[type=checkbox]").evaluateAll((boxes) => boxes.forEach((box) => box.checked || box.click()));
    if (await table.locator(".more").count()) await table.locator(".more").click();
    const shown = await table.locator("tbody tr").evaluateAll((lines) =>
      lines.map((line) => [...line.children].map((cell) => [cell.dataset.column, cell.title || (cell.querySelector("bdi")?.title ?? ""), cell.textContent])));
    assert.equal(shown.length, rows.length, `${names[tab]} ${name}`);
    shown.forEach((line, row) => {
      const keys = Object.keys(rows[row]);
      assert.deepEqual(line.map(([key]) => key).sort(), keys.sort(), `${names[tab]} ${name}`);
      for (const [key, title, text] of line) {
        const value = rows[row][key];
        const where = `${names[tab]} ${name} ${row} ${key}`;
        if (typeof value === "number") assert.equal(Number(title), value, where);
        else if (value === null) assert.equal(text, "–", where);
        else if (value.length < 120 && !/[\x00-\x1f\u202a-\u202e]/.test(value)) assert.equal(title || text, value, where);
      }
    });
  }
}

// A mark for each row that its table has the figures for, and none that they do not say.
async function check_figures(compare, analyze, profile) {
  const page = await open({}, compare);
  const compared = JSON.parse(readFileSync(join(folder, names[compare]), "utf8")).tables.operators;
  const worth = (row) => Math.abs(row.after_us - row.before_us);
  const shown = await panel(page, compare).locator(".dumbbell g").evaluateAll((rows) => rows.map((row) => row.dataset.operator));
  assert.deepEqual(shown, [...compared].sort((a, b) => worth(b) - worth(a)).map((row) => row.name));
  const unsure = await panel(page, compare).locator('.dumbbell g[data-verdict="inconclusive"] .dot-unsure').count();
  assert.equal(unsure, 2 * compared.filter((row) => row.verdict === "inconclusive").length);
  await go_to(page, analyze);
  const analyzed = JSON.parse(readFileSync(join(folder, names[analyze]), "utf8")).tables.operators;
  const dots = await panel(page, analyze).locator(".roofline circle").evaluateAll((marks) => marks.map((dot) => dot.dataset.operator));
  assert.deepEqual(dots.sort(), analyzed.filter((row) => row.intensity_flop_per_byte > 0 && row.flops > 0).map((row) => row.name).sort());
  await go_to(page, profile);
  assert.deepEqual(await panel(page, profile).locator(".runs line").evaluateAll((lines) => lines.map((line) => line.dataset.mark)), ["median", "p90"]);
  await page.context().close();
}

try {
  const run = names.indexOf("run.json");
  for (const colorScheme of ["light", "dark"]) {
    const page = await open({ colorScheme }, 0);
    for (const [tab, name] of names.entries()) {
      await go_to(page, tab);
      if (colorScheme === "light") await check_numbers(page, tab);
      await check_access(page, `${name} ${colorScheme}`, colorScheme === "dark" ? ["color-contrast"] : []);
    }
    await page.context().close();
  }

  const page = await open({}, run);
  assert.match(await page.title(), /^small\.onnx takes 90\.0/);
  const operators = panel(page, run).locator('section[data-table="operators"]');
  await operators.locator('th[data-column="name"] button').click();  // sorted by name, then back; [unattributed] stays last
  assert.deepEqual(await cells(operators, "name"), ["conv1", "relu1", "softmax1", "[unattributed]"]);
  assert.equal(await operators.locator('th[data-column="name"]').getAttribute("aria-sort"), "ascending");
  await page.keyboard.press("Enter");
  assert.deepEqual(await cells(operators, "name"), ["softmax1", "relu1", "conv1", "[unattributed]"]);
  const search = operators.locator("input[type=search]");
  await search.fill("type:Conv");
  assert.deepEqual(await cells(operators, "name"), ["conv1"]);
  await search.fill("plain_mean_us<20");
  assert.deepEqual(await cells(operators, "name"), ["softmax1", "[unattributed]"]);
  await search.fill("nothing of this name");
  assert.deepEqual(await cells(operators, "name"), []);
  await search.fill("");
  await panel(page, run).locator('.legend button[data-kind="Relu"]').click();  // a press on a part picks it in the table
  assert.deepEqual(await cells(operators, "name"), ["relu1"]);
  await page.keyboard.press("Escape");
  assert.equal((await cells(operators, "name")).length, 4);
  await operators.locator("summary").click();
  await operators.locator('input[data-column="kernel"]').check();  // of one's choice
  assert.equal(await operators.locator('th[data-column="kernel"]').count(), 1);
  const meaning = await operators.locator('th[data-column="share_percent"] button').getAttribute("title");
  assert.ok(meaning.includes("share_percent") && meaning.length > 30, meaning);

  // The keyboard alone: the first stop is the open tab, Tab reaches every control, arrows go from tab to tab.
  await page.context().close();
  const keys = await open({}, run);
  const stop = () => keys.evaluate(() => document.activeElement.id || document.activeElement.outerHTML.slice(0, 200));
  await keys.keyboard.press("Tab");
  assert.equal(await stop(), `tab-${run}`);
  const reached = await keys.evaluate(() => document.querySelectorAll("article:not(.hidden) :is(button, input[type=search], summary)").length);
  let stops = 0;
  for (let at = 0; at < 2 * reached + 20; ++at) {
    await keys.keyboard.press("Tab");
    const is_new = await keys.evaluate(() => {
      const one = document.activeElement;
      const counts = one.matches("article :is(button, input[type=search], summary)") && !one.dataset.seen;
      if (counts) one.dataset.seen = "yes";
      return counts;
    });
    if (is_new) ++stops;
  }
  assert.equal(stops, reached, "a control that Tab does not reach");
  await keys.locator(`#tab-${run}`).focus();
  await keys.keyboard.press("ArrowRight");
  assert.equal(await stop(), `tab-${run + 1}`);
  assert.ok(await panel(keys, run + 1).isVisible() && !(await panel(keys, run).isVisible()));
  await keys.context().close();

  const hostile = await open({}, names.indexOf("hostile.json"));
  assert.equal(await hostile.locator("img").count(), 0, "a name became an element");
  const shown = await panel(hostile, names.indexOf("hostile.json")).locator('section[data-table="operators"] td').allTextContents();
  assert.ok(shown.some((text) => text.startsWith("</script><img src=x onerror=alert(1)>") && text.includes("\\x00")), shown[0]);
  await hostile.context().close();

  const phone = await open({ viewport: { width: 390, height: 800 } }, 0);
  for (const tab of names.keys()) {
    await go_to(phone, tab);
    const width = await phone.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${names[tab]} is ${width} px wide on a phone`);
  }
  await phone.context().close();

  await check_figures(names.indexOf("compare.json"), names.indexOf("analyze.json"), names.indexOf("profile.json"));
  await check_timeline(open_file, check_access, JSON.parse(readFileSync(join(folder, "timeline.json"), "utf8")));
  await check_views(open_file, folder, names, check_access);
  await check_fuzzed(open_file, folder);
  assert.deepEqual(said, []);
  assert.deepEqual(asked.filter((one) => !one.startsWith("file:")), []);
} finally {
  await browser.close();
}
