// node perfetto_read.mjs TRACE_PROCESSOR_WASM TRACE: how long Perfetto's own trace processor, as its UI has it, takes to
// read a trace, as JSON on stdout: seconds that pass, and the slices it then knows. Its machine code is made and improved
// by other threads, so the time that passes is the reading's own.
import fs from 'node:fs';
import v8 from 'node:v8';
import {TraceProcessor} from '../tests/perfetto/engine.mjs';

v8.setFlagsFromString('--no-liftoff-only');  // tests read small traces; here what runs often is optimised

const [wasm, file] = process.argv.slice(2);
if (!file) {
  console.error('usage: node perfetto_read.mjs TRACE_PROCESSOR_WASM TRACE');
  process.exit(2);
}
const processor = new TraceProcessor(wasm);
const begin = performance.now();
const complaints = processor.load(fs.readFileSync(file));
const wall = (performance.now() - begin) / 1e3;
if (complaints.length) throw new Error(complaints.join('; '));
const [{slices}] = processor.query('select count(*) as slices from slice');
console.log(JSON.stringify({wall, slices: Number(slices)}));
