// node read_trace.mjs TRACE_PROCESSOR_WASM TRACE…: what Perfetto sees in trace files, as JSON on stdout, a line for each.
//
// `problems` holds what it complained about: errors while loading, and every statistic that is not mere information.
// Exit code 1 if the file or the module cannot be used at all; the reason is on stderr.
import fs from 'node:fs';
import {TraceProcessor} from './engine.mjs';

const SLICES = `select s.ts, s.dur, s.name, s.category, s.depth, t.tid, t.name as row, p.pid, p.name as process
  from slice s join thread_track k on s.track_id = k.id join thread t using (utid) left join process p using (upid)
  order by s.ts, s.id`;
const COUNTERS = `select c.ts, c.value, k.name, p.pid from counter c
  join process_counter_track k on c.track_id = k.id join process p using (upid) order by c.ts, c.id`;
const FLOWS = `select a.name as source, a.ts as source_ts, b.name as target, b.ts as target_ts
  from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id order by a.ts, b.ts`;
const ARGUMENTS = `select s.ts, s.name, a.key, a.int_value, a.string_value, a.real_value
  from slice s join args a using (arg_set_id) order by s.ts, a.key`;
const PROBLEMS = `select name, severity, value from stats where severity != 'info' and value > 0 order by name`;

const [wasm, ...traces] = process.argv.slice(2);
if (!traces.length) {
  console.error('usage: node read_trace.mjs TRACE_PROCESSOR_WASM TRACE…');
  process.exit(2);
}
for (const trace of traces) {
  const processor = new TraceProcessor(wasm);
  const problems = processor.load(fs.readFileSync(trace)).map((message) => ({name: 'load', severity: 'error', message}));
  // After a load that failed the tables are missing, and the load's own message is the answer.
  const query = (sql) => {
    try {
      return processor.query(sql);
    } catch (error) {
      problems.push({name: 'query', severity: 'error', message: error.message});
      return [];
    }
  };
  const report = {
    slices: query(SLICES), counters: query(COUNTERS), flows: query(FLOWS), arguments: query(ARGUMENTS),
  };
  const statistics = query(PROBLEMS);
  fs.writeSync(1, JSON.stringify({...report, problems: [...problems, ...statistics]}) + '\n');
}
