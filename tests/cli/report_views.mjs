// The views of pipelines, plans, sweeps and predictions in a browser: every mark has the figure of the result's table, and the
// sliders show the answer of their setting, which whatif.json has as `takt report` put it into whatif.html.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const exact = (of, selector, key) => of.locator(selector).evaluateAll((marks, name) => marks.map((mark) => Number(mark.getAttribute(name))), key);
const near = (found, wanted, what) => {
  assert.equal(found.length, wanted.length, what);
  found.forEach((value, at) => assert.ok(Math.abs(value - wanted[at]) <= 1e-9 * Math.max(1, Math.abs(wanted[at])), `${what}: ${value}, not ${wanted[at]}`));
};

async function check_pipeline(panel, tables) {
  near(await exact(panel, ".board [data-stage]", "data-load"), tables.stages.map((row) => row.load_us), "loads");
  near(await exact(panel, ".board .beat", "data-cycle"), [tables.summary[0].cycle_us], "the beat");
  for (const row of tables.devices) {
    const parts = await exact(panel, `.bars [data-device="${row.device}"] rect`, "data-exact");
    near([parts.reduce((sum, part) => sum + part, 0)], [row.wall_us], row.device);
    assert.ok(parts.includes(row.busy_us), row.device);
  }
  const path = await panel.locator("figure.sum").filter({ hasText: "critical path" }).locator(".legend b").evaluateAll((marks) => marks.map((mark) => Number(mark.dataset.exact)));
  near([path.reduce((sum, part) => sum + part, 0)], [tables.critical_path.reduce((sum, row) => sum + row.path_us, 0)], "critical path");
  assert.equal(await panel.locator(".latency [data-batch]").count(), tables.batches.length);
  const counted = await exact(panel, ".latency [data-count]", "data-count");
  assert.equal(counted.reduce((sum, count) => sum + count, 0), tables.batches.length - tables.summary[0].warmup_batches);
}

const by_name = {
  "profile.json": async (panel, _, profile) => {
    const order = profile.graph_exec.comp_seq.filter((id) => id in profile.profiler.device);
    const times = order.map((id) => Math.max(...Object.values(profile.profiler.device[id]).map((thread) => (thread.end - thread.start) * 1e6)));
    const shown = await exact(panel, ".lanes [data-step]", "data-step");
    shown.forEach((time, at) => assert.ok(Math.abs(time - times[at]) < 1e-6, `step ${at}`));
    assert.equal(shown.length, order.length);
    assert.ok((await exact(panel, ".lanes .alive", "data-most"))[0] > 0, "results take memory");
    near(await exact(panel, ".graph [data-operator]", "data-exact"), shown, "operators of the graph");
    assert.deepEqual(await exact(panel, ".graph [data-operator]", "data-level"), order.map((_, place) => place), "a chain");
    assert.equal(await panel.locator(".graph [data-chain]").count(), order.length);
  },
  "pipeline.json": check_pipeline,
  "diagnose.json": async (panel, tables) => {
    const causes = await panel.locator(".verdicts [data-cause]").evaluateAll((all) => all.map((one) => one.dataset.cause));
    assert.deepEqual(causes, tables.verdicts.map((row) => row.cause));
    near(await exact(panel, ".verdicts .price", "data-exact"), tables.verdicts.map((row) => row.step_share), "prices");
    assert.ok((await panel.locator(".verdicts").textContent()).includes(tables.verdicts[0].fix));
    for (const row of tables.steps) {
      const parts = await exact(panel, `.view-steps [data-device="step ${row.step_number}"] rect`, "data-exact");
      near([parts.reduce((sum, part) => sum + part, 0)], [row.step_time_us], `step ${row.step_number}`);
    }
  },
  "search.json": async (panel, tables) => {
    const known = tables.plans.filter((row) => row.latency_ms !== null);
    near(await exact(panel, ".plans .estimated", "data-exact"), known.map((row) => row.latency_ms * 1000), "plans");
    const work = await panel.locator(".gantt [data-block^=work]").count();
    assert.equal(work, tables.blocks.length);
  },
  "plan_run.json": async (panel, tables) => {
    near(await exact(panel, ".plan-runs .estimated", "data-exact"), tables.plan_runs.map((row) => row.estimated_us), "estimated");
    near(await exact(panel, ".plan-runs .measured", "data-exact"), tables.plan_runs.map((row) => row.really_us), "measured");
    const shown = tables.plan_runs.filter((row) => ["found", "single"].includes(row.role)).map((row) => row.plan_number);
    const blocks = tables.plan_run_blocks.filter((row) => shown.includes(row.plan_number));
    assert.equal(await panel.locator(".gantt [data-block]").count(), 2 * blocks.length, "a block estimated and measured");
  },
  "sweep.json": async (panel, tables) => {
    const measured = tables.measurements.filter((row) => row.mean_us > 0 && !row.stage_number.includes("-"));
    const shown = await exact(panel, ".sweep [data-exact]", "data-exact");
    near(shown.sort((a, b) => a - b), measured.map((row) => row.mean_us).sort((a, b) => a - b), "sizes");
    assert.equal(await panel.locator(".sweep .ring").count(), measured.length, "a law for each size");
  },
  "evaluate.json": async (panel, tables) => {
    const rows = [...tables.models].sort((a, b) => b.measured_ms - a.measured_ms);
    near(await exact(panel, ".evaluated .measured", "data-exact"), rows.map((row) => row.measured_ms * 1000), "measured");
    near(await exact(panel, ".evaluated .estimated", "data-exact"), rows.map((row) => row.predicted_ms * 1000), "predicted");
    assert.equal(await panel.locator(".evaluated .estimated.worse").count(), rows.filter((row) => row.inside === "no").length);
    near(await exact(panel, ".groups .measured", "data-exact"), tables.groups.map((row) => row.mape), "errors by group");
    assert.match(await panel.locator(".view-groups h2").textContent(), /^conv kernels take 90 % of the time and are 4\.5 % off; furthest off: pool, 18\.0 %$/);
  },
  "predict.json": async (panel, tables) => {
    const tiers = await panel.locator(".kernels [data-tier]").evaluateAll((marks) => marks.map((mark) => mark.dataset.tier));
    assert.deepEqual(tiers, tables.kernels.map((row) => row.tier));
    const longest = [...tables.kernels].sort((a, b) => b.predicted_us - a.predicted_us);
    const shown = [...(await exact(panel, ".carry .measured", "data-exact")), ...(await exact(panel, ".carry .estimated", "data-exact"))];
    near(shown.sort((a, b) => b - a), longest.slice(0, 12).map((row) => row.predicted_us), "the longest kernels");
    assert.equal(await panel.locator(".carry .measured").count(), longest.filter((row) => row.tier === "measured").length);
    const [{ overhead_ms, load_factor }] = tables.summary;
    const whole = tables.kernels.reduce((sum, row) => sum + row.predicted_us, 1000 * overhead_ms);
    near(await exact(panel, "figure.sum .whole", "data-exact"), [whole, whole], "the prediction, and it beside the load");
    near(await exact(panel, "figure.sum:nth-of-type(2) .legend b", "data-exact"), [whole / load_factor, whole - whole / load_factor], "what the load adds");
  },
  "fit.json": async (panel, tables) => {
    const own = tables.errors.filter((row) => row.method === "takt");
    near(await exact(panel, ".errors .measured", "data-exact"), own.map((row) => row.mape), "errors of takt");
  },
};

/** Each knob to a place by the keyboard: Home, then so many steps. */
async function turn(page, view, setting) {
  for (const [knob, place] of setting.entries()) {
    await view.locator("input[type=range]").nth(knob).focus();
    await page.keyboard.press("Home");
    for (let step = 0; step < place; ++step) await page.keyboard.press("ArrowRight");
  }
}

async function check_answer(view, group, row, what) {
  for (const key of ["cycle_us", "throughput_per_s", "latency_us", "makespan_us", "bottleneck"]) {
    const wanted = group.answers.columns.find((column) => column.key === key).values[row];
    const shown = view.locator(`dd[data-key="${key}"]`);
    assert.equal(await shown.getAttribute("title"), wanted === null ? null : String(wanted), `${what} ${key}`);
  }
  const low = group.answers.columns.find((column) => column.key === "cycle_low_us").values[row];
  assert.ok((await view.locator('dd[data-range="cycle_us"]').getAttribute("title")).startsWith(`${low} to `), what);
}

async function check_sliders(open_file, folder, check_access) {
  const groups = JSON.parse(readFileSync(join(folder, "whatif.json"), "utf8"));
  const page = await open_file("whatif.html", {}, 0);
  await check_access(page, "what-if");
  const view = page.locator(".what-if");
  let seed = 7;
  for (const [at, group] of groups.entries()) {
    await view.locator("[data-group]").nth(at).click();
    for (let again = 0; again < 3; ++again) {
      const setting = group.knobs.map((knob) => (seed = (seed * 1103515245 + 12345) % 2147483648) % knob.values.length);
      await turn(page, view, setting);
      const row = setting.reduce((place, value, knob) => place * group.knobs[knob].values.length + value, 0);
      await check_answer(view, group, row, `${group.name} ${setting}`);
      const typed = await view.locator(".typed code").textContent();
      const changes = group.knobs.flatMap((knob, place) => (setting[place] === knob.recorded ? [] : [` --set '${knob.key}=${knob.values[setting[place]]}'`]));
      assert.ok(typed.startsWith("takt pipeline whatif ") && typed.endsWith(`whatif.trace.json${changes.join("")}`), typed);
    }
    const slider = view.locator("input[type=range]").first();
    await slider.evaluate((one) => ((one.value = "0.4"), one.dispatchEvent(new Event("input"))));
    assert.ok(Number.isInteger(Number(await slider.inputValue())), "between the values of a knob there is nothing to choose");
    await view.locator(".as-recorded").click();
    await check_answer(view, group, group.knobs.reduce((place, knob) => place * knob.values.length + knob.recorded, 0), `${group.name} as recorded`);
  }
  await page.context().close();
  const phone = await open_file("whatif.html", { viewport: { width: 390, height: 800 } }, 0);
  assert.ok((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, "a what-if is wider than a phone");
  await phone.context().close();
}

/** Of a model with branches: each operator in its level, those without room counted, on a phone in more lines. */
async function check_graph(open_file, folder, check_access) {
  const levels = JSON.parse(readFileSync(join(folder, "graph_levels.json"), "utf8"));
  const page = await open_file("graph.html", {}, 0);
  await check_access(page, "graph");
  const lines = [];
  for (const width of [1280, 900, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const cells = await page.locator(".graph [data-operator]").evaluateAll((all) => all.map((one) => [Number(one.dataset.operator), Number(one.dataset.level), one.getAttribute("x"), one.getAttribute("y")]));
    for (const [step, level] of cells) assert.equal(level, levels[step], `level of ${step}`);
    assert.equal(new Set(cells.map(([, , x, y]) => `${x} ${y}`)).size, cells.length, "cells lie on each other");
    const more = await page.locator(".graph text").evaluateAll((all) => all.map((one) => /^\+(\d+)$/.exec(one.textContent)?.[1] ?? 0));
    assert.equal(cells.length + more.reduce((sum, one) => sum + Number(one), 0), levels.length, "an operator is neither shown nor counted");
    assert.ok(cells.length < levels.length, "a level of 18 has no room");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    lines.push(new Set(cells.map(([, , , y]) => y)).size);
  }
  assert.ok(lines[0] < lines[2], lines);
  await page.locator(".graph [data-operator='0']").click();
  assert.ok((await page.locator(".graph .picked").count()) > 20, "a press picks the type");
  await page.context().close();
}

/** A large model is folded: its layers are rows, each of which opens by the keyboard to its parts, and those to their operators. */
async function check_blocks(open_file, folder, check_access) {
  const parts = JSON.parse(readFileSync(join(folder, "blocks_of_layer.json"), "utf8"));
  const page = await open_file("blocks.html", {}, 0);
  await check_access(page, "blocks");
  const figure = page.locator("article .blocks").first();
  const rows = figure.locator("summary bdi");
  const shown = () => rows.evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent));
  const layers = Array.from({ length: 40 }, (_, layer) => `layers.${layer}`);
  assert.deepEqual(await shown(), ["model", "embed", ...layers], "what holds nearly all is open");
  assert.ok((await page.locator(".blocks .graph").count()) <= 1, "what is not open is not drawn");
  assert.equal(await page.locator(".view-graph").count(), 0);
  const layer = figure.locator("details").filter({ has: page.locator("summary bdi", { hasText: /^layers\.7$/ }) }).last();
  await layer.locator("> summary").focus();
  await page.keyboard.press("Enter");
  await layer.locator("> div").waitFor();
  assert.deepEqual(await layer.locator("> div > details > summary bdi").allTextContents(), Object.keys(parts));
  const times = await exact(layer, "> div > details > summary b", "data-exact");
  near([times.reduce((sum, time) => sum + time, 0)], await exact(layer, "> summary b", "data-exact"), "parts of a layer");
  const mlp = layer.locator("> div > details").last();
  await mlp.locator("> summary").click();
  assert.equal(await mlp.locator("[data-operator]").count(), parts.mlp, "operators of an mlp");
  assert.equal(await mlp.locator(".operators li").count(), 9, "the longest eight, and how many more");
  await check_access(page, "open blocks");
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `blocks in ${width}`);
  }
  await page.context().close();
}

/** On paper all tabs, figures in its width, tables to forty rows; as before when it is done. */
async function check_paper(page) {
  const widths = () => page.evaluate(() => [...document.querySelectorAll("article .view svg[viewBox]")].map((one) => one.viewBox.baseVal.width));
  const rows = () => page.evaluate(() => Math.max(...[...document.querySelectorAll("tbody")].map((one) => one.rows.length)));
  const before = [await widths(), await rows()];
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const hidden = await page.evaluate(() => [...document.querySelectorAll("article")].filter((one) => getComputedStyle(one).display === "none").length);
  assert.equal(hidden, 0, "all tabs are printed");
  assert.ok((await widths()).every((width) => width <= 720) && before[0].some((width) => width > 1000), String(await widths()));
  assert.equal(await rows(), 40);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(252, 252, 251)", "paper is light");
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  assert.deepEqual([await widths(), await rows()], before);
}

/** The board and the critical path stand beside each other where there is room. */
async function check_columns(page) {
  const tops = () => page.evaluate(() => [...document.querySelectorAll("article:not(.hidden) .two > *")].map((one) => Math.round(one.getBoundingClientRect().top)));
  const wide = await tops();
  assert.ok(wide.length === 2 && wide[0] === wide[1], String(wide));
  await page.setViewportSize({ width: 390, height: 800 });
  const narrow = await tops();
  assert.ok(narrow[1] > narrow[0] + 100, String(narrow));
  await page.setViewportSize({ width: 1280, height: 720 });
}

export async function check_views(open_file, folder, names, check_access) {
  const page = await open_file("page.html", {}, 0);
  for (const [name, check] of Object.entries(by_name)) {
    const tab = names.indexOf(name);
    assert.ok(tab >= 0, name);
    await page.evaluate((place) => (location.hash = `tab=${place}`), tab + 1);
    await page.waitForSelector(`#result-${tab}:not(.hidden)`);
    const result = JSON.parse(readFileSync(join(folder, name), "utf8"));
    await check(page.locator(`#result-${tab}`), result.tables, result);
    if (name === "pipeline.json") await check_columns(page);
  }
  await check_paper(page);
  await page.context().close();
  await check_graph(open_file, folder, check_access);
  await check_blocks(open_file, folder, check_access);
  await check_sliders(open_file, folder, check_access);
}
