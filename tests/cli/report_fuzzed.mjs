// Pages of results whose cells were changed: nothing is said on the console (which report_page.mjs looks at), each tab has
// its sentence, and no figure shows what is no number.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";

/** Every table has the hostile name as text, cut and with its marks spelled out. */
async function check_shown(page) {
  const without = await page.evaluate(() =>
    [...document.querySelectorAll("section[data-table]")].flatMap((table) => {
      table.querySelectorAll("input[type=checkbox]").forEach((box) => box.checked || box.click());
      const texts = [...table.querySelectorAll("td:not(.number)")].map((cell) => cell.textContent);
      const is_shown = texts.some((text) => text.startsWith("</script><img src=x onerror=alert(1)>") && text.includes("\\x00\\u202e") && text.length < 200);
      return is_shown || texts.every((text) => text === "–") ? [] : [`${table.closest("article").id} ${table.dataset.table}: ${texts.slice(0, 3)}`];
    }),
  );
  assert.deepEqual(without, [], "tables without the hostile name");
}

export async function check_fuzzed(open_file, folder) {
  const files = readdirSync(folder).filter((file) => /^(fuzzed_.*|hostile)\.html$/.test(file));
  assert.ok(files.length > 0);
  for (const file of files) {
    const page = await open_file(file, {}, 0);
    const broken = await page.evaluate(() => {
      const wrong = [];
      for (const one of document.querySelectorAll("article"))
        if (!one.querySelector("h1")?.textContent) wrong.push(`${one.id} has no sentence`);
      if (document.querySelector("img, iframe, body > script")) wrong.push("a name became an element");
      for (const one of document.querySelectorAll("svg *, dd, td"))
        for (const text of [one.textContent, ...[...one.attributes].map((attribute) => attribute.value)])
          if (/\b(NaN|undefined|-?Infinity)\b/.test(text)) wrong.push(`${one.outerHTML.slice(0, 200)}`);
      return wrong;
    });
    assert.deepEqual(broken, [], file);
    if (file === "hostile.html") await check_shown(page);
    await page.evaluate(async () => {
      for (const tab of document.querySelectorAll('[role="tab"]')) {
        tab.click();
        await new Promise(requestAnimationFrame);
      }
    });
    await page.context().close();
  }
}
