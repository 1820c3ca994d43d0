// Makes template.html of src/: one script and one style, each allowed by its hash and nothing else. tools/page calls it.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const bundle = async (file) => {
  const made = await build({ entryPoints: [join(here, "src", file)], bundle: true, minify: true, write: false, target: "es2022",
    charset: "utf8", legalComments: "none" });
  return made.outputFiles[0].text.trim();
};
const allowed = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const script = (await bundle("main.ts")).replaceAll("</script", "<\\/script");
const style = await bundle("style.css");
const policy = `default-src 'none'; script-src ${allowed(script)}; style-src ${allowed(style)}; base-uri 'none'; form-action 'none'`;
writeFileSync(process.argv[2], `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript; the result's JSON has the same figures.</noscript>
<script id="takt-data" type="application/json">@DATA@</script>
<script>${script}</script>
</body>
</html>
`);
