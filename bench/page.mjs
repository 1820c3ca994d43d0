// page.mjs WEB CHROMIUM PAGE: prints, as JSON, how soon a page's timeline is seen and how long the frames of a scripted zoom and pan
// take. For page.py.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [web, chromium_path, file] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(join(web, "node_modules/playwright-core/index.mjs")).href);
const browser = await chromium.launch({ executablePath: chromium_path, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });

// In the page: from the start of the navigation to the first frame of the timeline.
await page.addInitScript(() => {
  const look = () => {
    if (document.querySelector(".timeline")?.dataset.to) window.takt_seen = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
await page.goto(pathToFileURL(file).href);
const is_seen = () => "takt_seen" in window && performance.getEntriesByName("first-contentful-paint").length > 0;
while (!(await page.evaluate(is_seen))) await page.waitForTimeout(20); // waitForFunction would evaluate text, which the page forbids
const opened = await page.evaluate(() => {
  const read = performance.getEntriesByType("navigation")[0].responseEnd;
  return {
    paint_ms: performance.getEntriesByName("first-contentful-paint")[0].startTime - read,
    seen_ms: window.takt_seen,
    events: Number(document.querySelector(".timeline").dataset.events),
  };
});

const frames = await page.evaluate(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const keys = document.querySelector(".timeline .keys");
  document.querySelector(".timeline").scrollIntoView();
  const script = ["+", "ArrowRight", "ArrowRight", "+", "ArrowLeft", "+", "ArrowRight", "-", "ArrowRight", "-", "ArrowLeft", "-"];
  const times = [];
  await frame();
  for (let at = 0; at < 120; ++at) {
    const begin = performance.now();
    keys.dispatchEvent(new KeyboardEvent("keydown", { key: script[at % script.length], bubbles: true }));
    await frame(); // draws
    await frame(); // what was drawn is shown
    times.push((performance.now() - begin) / 2);
  }
  return times.sort((a, b) => a - b);
});
await browser.close();
const at = (share) => frames[Math.floor(share * (frames.length - 1))];
console.log(JSON.stringify({ ...opened, frame_ms: at(0.5), frame_p95_ms: at(0.95) }));
