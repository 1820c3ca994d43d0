// picture.mjs CHROMIUM PAGE PNG HOLDS END: of the first tab that has an element HOLDS, what stands from its sentence to the end of its
// first element END. tools/picture calls it. The strip and the dateline, which names the machine, are left out.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const highest = 1000; // pixels: of a long chart its beginning
const [executablePath, file, png, holds, last] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: 120_000 });
try {
  const page = await browser.newPage({ colorScheme: "light", viewport: { width: 1160, height: 800 } });
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.waitForSelector("h1");
  const tab = await page.evaluate((held) => [...document.querySelectorAll("article")].findIndex((one) => one.querySelector(held)) + 1, holds);
  if (tab === 0) throw new Error(`${file}: no tab has ${holds}`);
  await page.evaluate((place) => (location.hash = `tab=${place}`), tab);
  const article = page.locator("article:not(.hidden)");
  const [begin, end] = await article.evaluate((one, ends) =>
    [one.querySelector("h1").getBoundingClientRect().top, one.querySelector(ends).getBoundingClientRect().bottom].map((at) => at + scrollY), last);
  await page.screenshot({ path: png, fullPage: true, clip: { x: 0, y: begin - 8, width: 1160, height: Math.min(Math.ceil(end - begin) + 12, highest) } });
} finally {
  await browser.close();
}
