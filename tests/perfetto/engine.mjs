// Perfetto's own trace processor (a WebAssembly build that ships with its UI), driven from Node.
//
// It answers SQL on a trace file, so that what takt writes is read by a program that is not takt. The module talks
// protobuf: requests go in, and replies come out, as a stream of TraceProcessorRpc messages (Perfetto's
// protos/perfetto/trace_processor/trace_processor.proto). Only the few fields needed are encoded and decoded here.
// The module's imports are what emscripten expects of a host; the processor works in memory, so files answer ENOSYS.
import fs from 'node:fs';
import v8 from 'node:v8';

v8.setFlagsFromString('--liftoff-only');  // small traces are read in less time than it takes to optimise the processor

const APPEND_TRACE_DATA = 1, FINALIZE_TRACE_DATA = 2, QUERY_STREAMING = 3;
const CELL_NULL = 1, CELL_VARINT = 2, CELL_FLOAT64 = 3, CELL_STRING = 4, CELL_BLOB = 5;
const REQUEST_BYTES = 32 << 20, CHUNK_BYTES = 8 << 20;  // what the UI itself uses for its request buffer
const ENOSYS = 52;  // wasi numbering

function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

function bytes_field(number, bytes) {
  return Buffer.concat([varint(number << 3 | 2), varint(bytes.length), bytes]);
}

function varint_field(number, value) {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

/** Yields {number, value} of every field: BigInt for varints, Buffer otherwise. */
function* fields(buffer) {
  let at = 0;
  const next_varint = () => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      if (at >= buffer.length) throw new Error('a reply of the trace processor is cut off');
      const byte = buffer[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (count) => buffer.subarray(at, at += count);
  while (at < buffer.length) {
    const tag = Number(next_varint()), number = tag >>> 3, wire = tag & 7;
    if (wire === 0) yield {number, value: next_varint()};
    else if (wire === 1) yield {number, value: take(8)};
    else if (wire === 2) yield {number, value: take(Number(next_varint()))};
    else if (wire === 5) yield {number, value: take(4)};
    else throw new Error(`a reply of the trace processor has the unknown wire type ${wire}`);
  }
}

/** A JavaScript function of two i32 as a WebAssembly function, which the module's table accepts. */
function as_wasm_function(callback) {
  const module = new WebAssembly.Module(Uint8Array.of(
      0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,              // magic, version
      1, 6, 1, 0x60, 2, 0x7f, 0x7f, 0,              // type 0: (i32, i32) -> ()
      2, 7, 1, 1, 0x65, 1, 0x66, 0, 0,              // import "e" "f" of type 0
      7, 5, 1, 1, 0x66, 0, 0));                     // export "f"
  return new WebAssembly.Instance(module, {e: {f: callback}}).exports.f;
}

/** What an emscripten module asks of its host. `module.memory` is set once the module is instantiated. */
function host_imports(module, log) {
  const view = () => new DataView(module.memory.buffer);
  const text = (at) => {
    const bytes = new Uint8Array(module.memory.buffer, at);
    return Buffer.from(bytes.subarray(0, bytes.indexOf(0))).toString();
  };
  const known = {
    emscripten_get_now: () => performance.now(),
    emscripten_date_now: () => Date.now(),
    emscripten_get_heap_max: () => 0x80000000,
    emscripten_resize_heap: (wanted) => {
      const pages = Math.ceil(((wanted >>> 0) - module.memory.buffer.byteLength) / 65536);
      try {
        module.memory.grow(Math.max(pages, 256));
        return 1;
      } catch {
        return 0;
      }
    },
    emscripten_err: (message) => log.push(text(message)),
    _abort_js: () => { throw new Error('the trace processor aborted: ' + log.slice(-3).join(' ')); },
    __assert_fail: (condition) => { throw new Error('the trace processor failed: ' + text(condition)); },
    clock_time_get: (_clock, _precision, result) => {
      view().setBigUint64(result, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    environ_sizes_get: (count, size) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    fd_write: (_file, vectors, count, written) => {
      let total = 0;
      for (let i = 0; i < count; ++i) {
        const at = view().getUint32(vectors + 8 * i, true), size = view().getUint32(vectors + 8 * i + 4, true);
        log.push(Buffer.from(module.memory.buffer, at, size).toString().trim());
        total += size;
      }
      view().setUint32(written, total, true);
      return 0;
    },
    _tzset_js: () => {},
  };
  const fallback = (name) => name.startsWith('__syscall') || name.startsWith('_m') ? () => -ENOSYS : () => ENOSYS;
  return new Proxy({}, {get: (_, name) => known[name] ?? fallback(name)});
}

export class TraceProcessor {
  /** Loads the module; throws if the file is missing or is not the 32-bit build. */
  constructor(wasm_path) {
    this.log = [];
    const host = {};
    const imports = host_imports(host, this.log);
    const module = new WebAssembly.Module(fs.readFileSync(wasm_path));
    this.exports = new WebAssembly.Instance(module, {env: imports, wasi_snapshot_preview1: imports}).exports;
    this.memory = host.memory = this.exports.memory;
    this.exports.emscripten_stack_init();
    this.exports.__wasm_call_ctors();
    const table = this.exports.__indirect_function_table;
    const callback = table.grow(1);
    this.replies = [];
    table.set(callback, as_wasm_function((at, size) => this.replies.push(Buffer.from(this.bytes(at, size)))));
    this.request_at = this.exports.trace_processor_rpc_init(callback, REQUEST_BYTES) >>> 0;
    this.sequence = 0;
  }

  bytes(at, size) {
    return new Uint8Array(this.memory.buffer, at >>> 0, size);
  }

  /** Sends one request; returns the reply messages (fields of TraceProcessorRpc) it caused. */
  call(method, ...payload) {
    const message = Buffer.concat([varint_field(1, ++this.sequence), varint_field(2, method), ...payload]);
    const request = bytes_field(1, message);
    this.bytes(this.request_at, request.length).set(request);
    this.replies = [];
    this.exports.trace_processor_on_rpc_request(request.length);
    const messages = [...fields(Buffer.concat(this.replies))].map((field) => [...fields(field.value)]);
    for (const message of messages) {
      const fatal = message.find((field) => field.number === 5);
      if (fatal) throw new Error('the trace processor says: ' + fatal.value.toString());
    }
    return messages;
  }

  /** Loads a whole trace; returns what the processor complained about, an empty list if nothing. */
  load(trace) {
    const errors = [];
    const collect = (messages, result_field) => {
      for (const message of messages)
        for (const {number, value} of message)
          if (number === result_field)
            for (const inner of fields(value))
              if (Buffer.isBuffer(inner.value) && inner.value.length) errors.push(inner.value.toString());
    };
    for (let at = 0; at < trace.length; at += CHUNK_BYTES)
      collect(this.call(APPEND_TRACE_DATA, bytes_field(101, trace.subarray(at, at + CHUNK_BYTES))), 201);
    collect(this.call(FINALIZE_TRACE_DATA), 211);
    return errors;
  }

  /** Rows of a query as objects. Integers that a double cannot hold come back as decimal strings. */
  query(sql) {
    const columns = [], values = [];
    for (const message of this.call(QUERY_STREAMING, bytes_field(103, bytes_field(1, Buffer.from(sql)))))
      for (const {number, value} of message)
        if (number === 203) read_result(value, columns, values);
    const rows = [];
    for (let at = 0; at < values.length; at += columns.length)
      rows.push(Object.fromEntries(columns.map((column, i) => [column, values[at + i]])));
    return rows;
  }
}

function read_result(result, columns, values) {
  for (const {number, value} of fields(result)) {
    if (number === 1) columns.push(value.toString());
    if (number === 2 && value.length) throw new Error('the query failed: ' + value.toString());
    if (number === 3) values.push(...read_batch(value));
  }
}

/** A CellsBatch keeps one list per type; `cells` says which list the next value comes from. */
function read_batch(batch) {
  const kinds = [], integers = [], floats = [], blobs = [];
  let strings = [];
  for (const {number, value} of fields(batch)) {
    if (number === 1) kinds.push(...value);
    if (number === 2) integers.push(...packed_varints(value));
    if (number === 3) for (let at = 0; at < value.length; at += 8) floats.push(value.readDoubleLE(at));
    if (number === 4) blobs.push(value);
    if (number === 5) strings = value.toString().split('\0');
  }
  return kinds.map((kind) => {
    if (kind === CELL_VARINT) return integers.shift();
    if (kind === CELL_FLOAT64) return floats.shift();
    if (kind === CELL_STRING) return strings.shift();
    if (kind === CELL_BLOB) return blobs.shift().toString('hex');
    if (kind === CELL_NULL) return null;
    throw new Error(`a reply of the trace processor has the unknown cell type ${kind}`);
  });
}

function packed_varints(buffer) {
  const numbers = [];
  for (let at = 0; at < buffer.length;) {
    let value = 0n, shift = 0n, byte;
    do {
      byte = buffer[at++];
      value |= BigInt(byte & 0x7f) << shift;
      shift += 7n;
    } while (byte >= 0x80);
    const signed = BigInt.asIntN(64, value), exact = Number(signed);
    numbers.push(Number.isSafeInteger(exact) ? exact : signed.toString());
  }
  return numbers;
}
