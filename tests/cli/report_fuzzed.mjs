// Pages of results whose cells were changed: nothing is said on the console (which report_page.mjs looks at), each tab has
// its sentence, and no figure shows what is no number.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";

export async function check_fuzzed(open_file, folder) {
  const files = readdirSync(folder).filter((file) => file.startsWith("fuzzed_") && file.endsWith(".html"));
  assert.ok(files.length > 0);
  for (const file of files) {
    const page = await open_file(file, {}, 0);
    const broken = await page.evaluate(() => {
      const wrong = [];
      for (const one of document.querySelectorAll("article"))
        if (!one.querySelector("h1")?.textContent) wrong.push(`${one.id} has no sentence`);
      for (const one of document.querySelectorAll("svg *, dd, td"))
        for (const text of [one.textContent, ...[...one.attributes].map((attribute) => attribute.value)])
          if (/\b(NaN|undefined|-?Infinity)\b/.test(text)) wrong.push(`${one.outerHTML.slice(0, 200)}`);
      return wrong;
    });
    assert.deepEqual(broken, [], file);
    await page.evaluate(async () => {
      for (const tab of document.querySelectorAll('[role="tab"]')) {
        tab.click();
        await new Promise(requestAnimationFrame);
      }
    });
    await page.context().close();
  }
}
