// node count_problems.mjs TRACE_PROCESSOR_WASM TRACE...: how much Perfetto complains about each trace, as JSON on stdout:
// {"NAME": {"problems": [...], "slices": N, "flows": N}}. A file that it cannot read at all is a problem, too.
import fs from 'node:fs';
import path from 'node:path';
import {TraceProcessor} from './engine.mjs';

const PROBLEMS = `select name from stats where severity != 'info' and value > 0 order by name`;

/** What one file comes to; each has a processor of its own, since some end it. */
function read(wasm, file) {
  try {
    const processor = new TraceProcessor(wasm);
    const problems = processor.load(fs.readFileSync(file));
    if (problems.length) return {problems, slices: 0, flows: 0};
    const count = (table) => processor.query(`select count(*) as n from ${table}`)[0].n;
    problems.push(...processor.query(PROBLEMS).map((row) => row.name));
    return {problems, slices: count('slice'), flows: count('flow')};
  } catch (error) {
    return {problems: [error.message], slices: 0, flows: 0};
  }
}

const [wasm, ...traces] = process.argv.slice(2);
const report = Object.fromEntries(traces.map((file) => [path.basename(file), read(wasm, file)]));
process.stdout.write(JSON.stringify(report) + '\n');
