#!/usr/bin/env python3
"""Writes a profile in the peer's schema, as large as wanted and the same for the same seed. Its proportions are those
of real files: variables, memory chunks and the sequence, which an analyser hardly needs, are half of the bytes; the keys
of every object come in an arbitrary order; numbers are written with %.15g. With --runs, it begins with what takt keeps
beside that under its own key: where the model ran, and a time of every operator in each run.

usage: bench/make_profile.py FILE [--operators 200000] [--seed 1] [--runs 0]
"""
import argparse
import random

COMP_NODES = [r'CompNode(\"gpu0:0\" from \"gpu0:0\")', r'CompNode(\"cpu0:0\" from \"xpux:0\")']
# type, base of its name, inputs, param; the weights follow a convolutional network
KINDS = [
    (40, 'ConvBiasForward', 'conv_bias', 3,
     '"nonlineMode": "RELU", "mode": "CROSS_CORRELATION", "sparse": "DENSE", "pad_h": 1, "pad_w": 1, "stride_h": 1, '
     '"stride_w": 1, "dilate_h": 1, "dilate_w": 1, "format": "NCHW"'),
    (30, 'Elemwise', 'FUSE_ADD_RELU', 2, '"mode": "FUSE_ADD_RELU"'),
    (8, 'PoolingForward', 'pooling', 1,
     '"mode": "MAX", "pad_h": 0, "pad_w": 0, "stride_h": 2, "stride_w": 2, "window_h": 2, "window_w": 2, '
     '"format": "NCHW"'),
    (8, 'MatrixMul', 'matrix_mul', 2, '"transposeA": false, "transposeB": true, "compute_mode": "DEFAULT"'),
    (6, 'Reshape', 'reshape', 2, ''),
    (5, 'Copy', 'copy', 1, ''),
    (3, 'SharedDeviceTensor', 'shared', 0, ''),
]
UNCOUNTED = {'Reshape', 'Copy', 'SharedDeviceTensor'}  # their computation is null
ORDERS = 16  # key orders of each kind of object that occur in one file


def orders(members, rng):
    """Templates of one object with its members in several orders."""
    templates = []
    for _ in range(ORDERS):
        rng.shuffle(members)
        templates.append('{ ' + ', '.join(members) + '}')
    return templates


class Templates:
    def __init__(self, rng):
        self.operator = orders([
            '"node_type": "operator"', '"id": "%(id)d"', '"name": "%(name)s"', '"type": "%(type)s"',
            '"input": [%(inputs)s]', '"output": [ "%(var)d"]',
            '"extra": { "priority": 0, "input_update_time": %(id)d, "dfs_step_num": %(step)d}', '"waiting_spec": { }'],
            rng)
        plan = '{ "mem_chunk_id": "chk%(var)d", "offset_byte": 0, "layout": { "shape": [%(shape)s], ' \
               '"stride": [%(stride)s], "dtype": "%(dtype)s"}}'
        static = '{ "SHAPE": { "node_type": "static_infer_tag", "infer_type": "RT_STATIC", "inferred_result": ' \
                 '[%(shape)s], "deps": [ { "var": "%(first)d", "dep_type": "SHAPE"}]}, "VALUE": { "node_type": ' \
                 '"static_infer_tag", "infer_type": "MISSING_INP", "inferred_result": null, "deps": []}}'
        self.var = orders([
            '"node_type": "var"', '"id": "%(var)d"', '"name": "var%(var)d"', '"comp_node": "%(node)s"',
            '"flag": [ "NO_MEM_RECLAIM", "ALLOW_EMPTY_SHAPE"]', '"mem_plan": ' + plan, '"dev_ptr": %(pointer)d',
            '"prev_dev_ptr": 0', '"mem_readonly_fwd_src": null', '"force_update_src": null',
            '"static_infer_tags": ' + static], rng)
        self.chunk = orders(['"node_type": "mem_chunk"', '"id": "chk%(var)d"', '"size": %(bytes)d',
                             '"owner_var": "%(var)d"', '"dev_ptr": %(pointer)d'], rng)
        self.footprint = orders(['"computation": %(computation)s', '"memory": %(memory)d', '"in_shapes": [%(shapes)s]',
                                 '"out_shapes": [ [%(shape)s]]', '"param": { %(param)s}'], rng)
        self.times = orders(['"start": %(start).15g', '"kern": %(kern).15g', '"end": %(end).15g'], rng)


def sections(count, rng):
    """Text of every entry, by section."""
    templates = Templates(rng)
    parts = {name: [] for name in ('comp_seq', 'operator', 'var', 'mem_chunk', 'device', 'host', 'opr_footprint')}
    kinds, weights = [kind[1:] for kind in KINDS], [kind[0] for kind in KINDS]
    clock, host_clock, identity = 0.0, 1.5, 0
    for step, (kind, base, arity, param) in enumerate(rng.choices(kinds, weights, k=count)):
        identity += rng.choice((2, 2, 2, 3))  # a workspace variable takes a number now and then
        order = rng.randrange(ORDERS)
        extents = (rng.choice((1, 8, 32)), rng.choice((3, 64, 256, 512)), rng.choice((7, 14, 28, 56)), 56)
        shape = ' %d, %d, %d, %d' % extents
        size = extents[0] * extents[1] * extents[2] * 4
        inputs = [max(1, identity - 1 - 2 * rng.randrange(40)) | 1 for _ in range(arity)]
        clock += rng.uniform(1e-6, 9e-6)
        host_clock += rng.uniform(2e-6, 5e-6)
        wait, length = rng.uniform(1e-7, 3e-6), rng.lognormvariate(-9.5, 1.2)
        values = {
            'id': identity, 'var': identity + 1, 'step': step, 'type': kind, 'node': COMP_NODES[0], 'shape': shape,
            'name': '%s(%s)[%d]' % (base, ','.join('var%d' % i for i in inputs), identity),
            'inputs': ','.join(' "%d"' % i for i in inputs), 'first': inputs[0] if inputs else identity + 1,
            'shapes': ','.join([' [%s]' % shape] * arity), 'bytes': size, 'memory': size * (arity + 1),
            'stride': ' %d, %d, %d, 1' % (extents[1] * extents[2] * 56, extents[2] * 56, 56),
            'dtype': 'Float32' if step % 9 else 'Float16', 'pointer': 0x7f0000000000 + identity * 512,
            'computation': 'null' if kind in UNCOUNTED else size * 18, 'param': param,
            'start': clock, 'kern': clock + wait, 'end': clock + wait + length}
        parts['comp_seq'].append(' "%d"' % identity)
        parts['operator'].append('"%d": ' % identity + templates.operator[order] % values)
        parts['var'].append('"%d": ' % (identity + 1) + templates.var[order] % values)
        parts['mem_chunk'].append('"chk%d": ' % (identity + 1) + templates.chunk[order] % values)
        parts['opr_footprint'].append('"%d": ' % identity + templates.footprint[order] % values)
        parts['device'].append('"%d": { "%s": %s}' % (identity, COMP_NODES[0], templates.times[order] % values))
        clock += wait + length
        values.update(start=host_clock, kern=host_clock + wait, end=host_clock + wait * 2)
        parts['host'].append('"%d": { "unnamed_thread(4711)": %s}' % (identity, templates.times[order] % values))
    return parts


PROVENANCE = '''{"schema_version": 1, "tool_version": "0.1.0", "build": "Release", "date": "2024-05-01T10:00:00Z",
"command": ["takt", "run", "resnet50.onnx", "--profile", "profile.json"], "host": "bench", "cpu": "bench",
"device": "CPU", "runtime": "onnxruntime", "runtime_version": "1.17.0", "settings": {"threads": "1"}}'''


def samples(rng, runs, typical):
    """Times of one operator or of the whole, in nanoseconds: a log-normal scatter of some percent."""
    return '[%s]' % ', '.join('%d' % (typical * rng.lognormvariate(0, 0.04)) for _ in range(runs))


def takt_section(operators, runs, rng):
    """The value of the key `takt`, as `takt run --profile` writes it; `operators` are ids and typical nanoseconds."""
    yield '{\n"provenance": %s,\n"profile": {\n"runs": %d,\n' % (PROVENANCE, runs)
    total = sum(typical for _, typical in operators)
    for key in ('samples_ns', 'plain_samples_ns'):
        yield '"%s": %s,\n' % (key, samples(rng, runs, total))
    yield '"operators": {'
    for place, (identity, typical) in enumerate(operators):
        yield ('%s\n"%d": {"calls": %d, "total_ns": %d, "node": "node_%d", "kernel": "CPUExecutionProvider", '
               '"fused": ["node_%d"], "samples_ns": %s}' % (',' if place else '', identity, runs, runs * typical, identity,
                                                            identity, samples(rng, runs, typical)))
    yield '\n}\n}\n}'


def write(path, count, seed, runs=0):
    rng = random.Random(seed)
    parts = sections(count, rng)
    operators = [(int(word.strip(' "')), rng.randrange(2_000, 900_000)) for word in parts['comp_seq']] if runs else []
    for name, entries in parts.items():
        if name != 'comp_seq':
            rng.shuffle(entries)
    texts = {name: iter(('{ ', ', '.join(entries), '}')) for name, entries in parts.items()}
    texts['comp_seq'] = iter(('[', ','.join(parts['comp_seq']), ']'))
    texts['opr_internal_pf'] = iter(('{ }',))
    groups = [('profiler', ['opr_internal_pf', 'host', 'opr_footprint', 'device']),
              ('graph_exec', ['comp_seq', 'mem_chunk', 'var', 'operator'])]
    with open(path, 'w', encoding='utf-8', buffering=1 << 20) as file:
        file.write('{ ')
        if runs:
            file.write('"takt": ')
            file.writelines(takt_section(operators, runs, rng))
            file.write(', ')
        for number, (group, names) in enumerate(groups):
            file.write((', ' if number else '') + '"%s": { ' % group)
            for place, name in enumerate(names):
                file.write((', ' if place else '') + '"%s": ' % name)
                file.writelines(texts[name])
            file.write('}')
        file.write('}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('file')
    parser.add_argument('--operators', type=int, default=200_000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--runs', type=int, default=0)
    arguments = parser.parse_args()
    write(arguments.file, arguments.operators, arguments.seed, arguments.runs)


if __name__ == '__main__':
    main()
