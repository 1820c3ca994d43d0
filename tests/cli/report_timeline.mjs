// The timeline of a page in a browser: it is drawn, moves and zooms by pointer and keys, and is searched; its names are text.
import assert from "node:assert/strict";

const figure = (page) => page.locator("article:not(.hidden) .timeline");

// What the figure says of itself when its frame is drawn.
async function state(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const told = await figure(page).evaluate((one) => ({ ...one.dataset, said: one.querySelector(".said").textContent }));
  return { ...told, from: Number(told.from), to: Number(told.to), span: told.to - told.from };
}

// Asked again and again from here: the page lets nobody evaluate text, as waitForFunction does.
async function comes(page, condition) {
  for (let at = 0; at < 200 && !(await page.evaluate(condition)); ++at) await page.waitForTimeout(50);
  assert.ok(await page.evaluate(condition), String(condition));
}

const colours = (page) =>
  figure(page).locator('canvas[role="img"]').evaluate((canvas) => {
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    return [...new Set(new Uint32Array(data.buffer))].map((pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255]);
  });
const is_light = (of) => of.some(([red, green, blue]) => red > 248 && green > 248 && blue > 248);

async function check_keys(page, wanted) {
  const whole = await state(page);
  assert.deepEqual([whole.from, whole.to, Number(whole.events)], [0, wanted.length_ns, wanted.events]);
  await figure(page).locator(".keys").focus();
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  const near = await state(page);
  assert.ok(Math.abs(near.span - whole.span / 4) <= 1, JSON.stringify(near));
  await page.keyboard.press("ArrowRight");
  const moved = await state(page);
  assert.ok(Math.abs(moved.from - near.from - near.span / 10) <= 1 && Math.abs(moved.span - near.span) <= 1, JSON.stringify(moved));
  await page.keyboard.press("-");
  assert.ok(Math.abs((await state(page)).span - whole.span / 2) <= 1);
  for (let at = 0; at < 20; ++at) await page.keyboard.press("ArrowLeft");
  assert.equal((await state(page)).from, 0, "left of the begin is nothing");
  await page.keyboard.press("0");
  assert.deepEqual(await state(page), whole);
  await page.keyboard.press("]"); // event by event
  const first = (await state(page)).said;
  await page.keyboard.press("]");
  const second = (await state(page)).said;
  assert.ok(first !== second && first && second, first);
  await page.keyboard.press("[");
  assert.equal((await state(page)).said, first);
  await page.keyboard.press("Enter");
  assert.ok((await state(page)).span < whole.span);
  await page.keyboard.press("Escape");
  assert.equal((await state(page)).said, "");
}

async function check_search(page, wanted) {
  await figure(page).locator(".keys").focus();
  await page.keyboard.press("0");
  await page.keyboard.press("/");
  await page.keyboard.type(wanted.search);
  assert.equal((await state(page)).hits, String(wanted.hits));
  const grey = await colours(page);
  await page.keyboard.press("Enter");
  const one = (await state(page)).said;
  assert.ok(one.toLowerCase().includes(wanted.search), one);
  await figure(page).locator(".keys").focus();
  await page.keyboard.press("n");
  const two = (await state(page)).said;
  assert.ok(two !== one && two.toLowerCase().includes(wanted.search), two);
  await page.keyboard.press("N");
  assert.equal((await state(page)).said, one);
  await figure(page).locator("input").fill("nothing is called so");
  assert.equal((await state(page)).hits, "0");
  assert.ok((await colours(page)).length < grey.length, "without a hit all is grey");
  await figure(page).locator("input").fill("");
  // A press on a kind of work marks all that is of it, Esc ends that.
  await figure(page).getByRole("button", { name: "data wait" }).click();
  const picked = Number((await state(page)).hits);
  assert.ok(picked > 0 && picked < wanted.events, String(picked));
  await figure(page).locator(".keys").focus();
  await page.keyboard.press("Escape"); // the event that was chosen
  await page.keyboard.press("Escape");
  assert.deepEqual([(await state(page)).hits, (await state(page)).said], ["", ""]);
}

// The window is in the URL's fragment: a page opened there shows the same.
async function check_url(page) {
  await figure(page).locator(".keys").focus();
  await page.keyboard.press("0");
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowRight");
  const here = await state(page);
  await comes(page, () => location.hash.includes("&t="));
  await page.reload();
  await page.waitForSelector(".timeline[data-to]");
  const there = await state(page);
  assert.ok(Math.abs(there.from - here.from) <= 1 && Math.abs(there.to - here.to) <= 1, JSON.stringify([here, there]));
  await figure(page).locator(".keys").focus();
  await page.keyboard.press("0");
  await comes(page, () => !location.hash.includes("&t="));
}

// Tab alone comes to all that can be pressed or typed into.
async function check_stops(page) {
  await page.locator('[role="tab"]').first().focus();
  const wanted = await figure(page).locator("button, input, .keys").count();
  let reached = 0;
  const all = await page.locator("article:not(.hidden) :is(button, input, summary, [tabindex])").count();
  for (let at = 0; at < all + 20 && reached < wanted; ++at) {
    await page.keyboard.press("Tab");
    reached += await page.evaluate(() => {
      const one = document.activeElement;
      if (one.dataset.reached || !one.matches(".timeline :is(button, input, .keys)")) return 0;
      return (one.dataset.reached = 1);
    });
  }
  assert.equal(reached, wanted);
}

async function check_pointer(page) {
  await page.setViewportSize({ width: 1280, height: 900 });
  await figure(page).locator(".keys").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("0");
  const whole = await state(page);
  const picture = figure(page).locator('canvas[role="img"]');
  await picture.scrollIntoViewIfNeeded();
  const box = await picture.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + 10];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, 60);
  assert.deepEqual(await state(page), whole, "the plain wheel is the page's");
  await picture.scrollIntoViewIfNeeded();
  const there = await picture.boundingBox();
  await page.mouse.move(x, there.y + 10);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  const near = await state(page);
  assert.ok(near.span < whole.span * 0.7, JSON.stringify(near));
  await page.mouse.down();
  await page.mouse.move(x + 100, there.y + 10, { steps: 4 });
  await page.mouse.up();
  const dragged = await state(page);
  assert.ok(dragged.from < near.from && Math.abs(dragged.span - near.span) <= 1 && dragged.said === "", JSON.stringify(dragged));
  await page.keyboard.press("0");
  // A press chooses what the pointer is on, and the tip says the same.
  for (let at = 150; at < box.width && (await state(page)).said === ""; at += 10) await page.mouse.click(box.x + at, there.y + 10);
  const { said } = await state(page);
  assert.ok(said !== "");
  assert.ok(said.startsWith(await figure(page).locator(".tip").textContent()), said); // which adds the arrows
  await figure(page).getByRole("button", { name: "Zoom in" }).click();
  assert.ok((await state(page)).span < whole.span);
  await figure(page).getByRole("button", { name: "Show the whole trace" }).click();
  assert.equal((await state(page)).span, whole.span);
  await figure(page).getByRole("button", { name: "Zoom in" }).click();
  await figure(page).getByRole("button", { name: "data starvation" }).click();
  assert.equal((await state(page)).span, whole.span, "the verdict is about every step of this trace");
}

async function check_folding(page) {
  const row = figure(page).locator(".row[aria-expanded]").first();
  const height = () => figure(page).locator(".rows").evaluate((one) => one.offsetHeight);
  const open = await height();
  await row.click();
  assert.ok((await height()) < open && (await row.getAttribute("aria-expanded")) === "false");
  await row.click();
  assert.equal(await height(), open);
}

export async function check_timeline(open_file, check_access, wanted) {
  const page = await open_file("timeline.html", {}, 0);
  assert.ok((await colours(page)).length > 4 && is_light(await colours(page)));
  await check_keys(page, wanted[0]);
  await check_search(page, wanted[0]);
  await check_pointer(page);
  await check_folding(page);
  await check_stops(page);
  await check_url(page);
  await check_access(page, "timeline light");
  for (const { rows, events } of wanted.slice(0, 1)) {
    const table = page.locator('article:not(.hidden) section[data-table="rows"]'); // what the picture shows, as text
    assert.equal(await table.locator("tbody tr").count(), Math.min(14, rows));
    const counts = await table.locator('td[data-column="events"]').evaluateAll((cells) => cells.map((cell) => Number(cell.title)));
    if (rows <= 14) assert.equal(counts.reduce((sum, count) => sum + count, 0), events);
  }
  await page.emulateMedia({ colorScheme: "dark" });
  await state(page);
  assert.ok(!is_light(await colours(page)), "dark");
  await check_access(page, "timeline dark", ["color-contrast"]);
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  assert.ok(is_light(await colours(page)), "on paper");
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));

  // Hostile names: rows, legend, search, choice and tip show text.
  await page.locator("#tab-1").click();
  await state(page);
  await figure(page).locator(".keys").focus();
  await page.keyboard.press("]");
  await page.keyboard.press("Enter");
  const { said } = await state(page);
  assert.ok(said.startsWith("</script><img src=x onerror=alert(1)>") && said.includes("\\x00") && said.length < 500, said);
  assert.ok((await figure(page).locator(".row").first().textContent()).startsWith("</script>"));
  assert.equal(await page.locator("img").count(), 0, "a name became an element");
  await page.setViewportSize({ width: 390, height: 800 });
  for (const tab of [0, 1]) {
    await page.locator(`#tab-${tab}`).click();
    await state(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, "a timeline on a phone");
  }
  await page.context().close();
}
