"""Ways to damage a file: values of its rows replaced by hostile ones, rows torn, doubled and swapped, bytes lost and flipped.

A way takes the file's bytes and a random.Random and returns other bytes, with a word for the way.
"""
import json
import random

RAW = '@@raw{}@@'  # stands for text that json.dumps cannot write, until it is put in
# What a number is replaced by: as it stands in the file.
NUMBERS = ['0', '-1', '1', '-0.0', '0.5', '-7', '99', '1e300', '-1e300', '1e-300', '1e999', '9007199254740993', '2147483647',
           '2147483648', '4294967296', '9223372036854775807', '9223372036854775808', '18446744073709551615',
           '18446744073709551616', '-9223372036854775808', '-9223372036854775809', '1e18', 'NaN', 'Infinity', '-Infinity', '1e5',
           '007', '0x10', '+1', '.5', '1000001']
TEXTS = ['', ' ', 'CPU', 'x', '3-9', '1000,2000,NPU,8', '1,1,CPU,99', '0,0,GPU,1', '\0', '\x1b[2J', 'é漢', '../../etc/passwd', '/dev/zero',
         '%s%n', '{}', 'a' * 100, 'k' * 100_000, 'null', '-1', '1e300', '\n']
VALUES = ['null', 'true', 'false', '[]', '{}', '[[]]', '[null]', '{"": 0}', '"x"', '0', '-1', '1e300', '[1, 2, 3]', '[' * 150 + ']' * 150,
          '[' * 50_000 + ']' * 50_000, '{"a":' * 20_000 + '0' + '}' * 20_000, '"' + 'v' * 200_000 + '"', '[' * 1000]


def places(value, at=()):
    """The path of each value in it, itself first."""
    yield at
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*at, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from places(inner, (*at, i))


def found(value, at):
    for step in at:
        value = value[step]
    return value


class Tree:
    """A value of JSON some parts of which are text as it stands."""

    def __init__(self, text):
        self.value = json.loads(text)
        self.raw = []

    def as_text(self, text):
        self.raw.append(text)
        return RAW.format(len(self.raw) - 1)

    def dump(self, **form):
        text = json.dumps(self.value, ensure_ascii=False, **form)
        for i, raw in enumerate(self.raw):
            text = text.replace('"' + RAW.format(i) + '"', raw)
        return text

    def put(self, at, value):
        if not at:
            self.value = value
        else:
            found(self.value, at[:-1])[at[-1]] = value


def change_value(tree, rng):
    at = rng.choice(list(places(tree.value)))
    old = found(tree.value, at)
    number = isinstance(old, (int, float)) and not isinstance(old, bool)
    if number and rng.random() < 0.7:
        tree.put(at, tree.as_text(rng.choice(NUMBERS)))
    elif isinstance(old, str) and rng.random() < 0.7:
        tree.put(at, rng.choice(TEXTS))
    elif isinstance(old, list) and old and rng.random() < 0.5:  # all numbers of a list alike
        tree.put(at, [tree.as_text(rng.choice(NUMBERS))] * rng.choice([0, 1, 2, len(old)]))
    else:
        tree.put(at, tree.as_text(rng.choice(VALUES)))


def change_key(tree, rng):
    objects = [at for at in places(tree.value) if isinstance(found(tree.value, at), dict) and found(tree.value, at)]
    if not objects:
        return change_value(tree, rng)
    inside = found(tree.value, rng.choice(objects))
    key = rng.choice(list(inside))
    way = rng.randrange(4)
    if way == 0:
        del inside[key]
    elif way == 1:
        inside[rng.choice(TEXTS) + rng.choice(['', key])] = inside.pop(key)
    elif way == 2:
        inside[rng.choice(['extra', 'takt', key + '_', ''])] = tree.as_text(rng.choice(VALUES))
    else:  # the same key twice
        copy = json.dumps(inside)
        tree.put(next(at for at in objects if found(tree.value, at) is inside),
                 tree.as_text(copy[:-1] + ', ' + json.dumps(key) + ': ' + rng.choice(['0', json.dumps(inside[key])]) + '}'))
    return None


def change_list(tree, rng):
    lists = [at for at in places(tree.value) if isinstance(found(tree.value, at), list) and found(tree.value, at)]
    if not lists:
        return change_value(tree, rng)
    inside = found(tree.value, rng.choice(lists))
    i = rng.randrange(len(inside))
    way = rng.randrange(5)
    if way == 0:
        inside.insert(i, inside[i])
    elif way == 1:
        del inside[i]
    elif way == 2:
        inside[i], inside[-1] = inside[-1], inside[i]
    elif way == 3:
        del inside[:]
    else:
        inside.extend([inside[i]] * 1000)
    return None


def in_tree(text, rng):
    tree = Tree(text)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        rng.choice([change_value, change_value, change_value, change_key, change_list])(tree, rng)
    return tree.dump(**rng.choice([{}, {'separators': (',', ':')}]))


def json_values(data, rng):
    return in_tree(data.decode(), rng).encode('utf-8', 'surrogateescape')


def json_lines(data, rng):
    lines = data.decode().splitlines()
    i = rng.choice([0, rng.randrange(len(lines)), len(lines) - 1])
    lines[i] = in_tree(lines[i], rng).replace('\n', ' ')
    return ('\n'.join(lines) + '\n').encode('utf-8', 'surrogateescape')


def lines_moved(data, rng):
    lines = data.split(b'\n')
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(4)
    if way == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif way == 1:
        lines.insert(j, lines[i])
    elif way == 2:
        del lines[i]
    else:
        lines[i] = lines[i][:rng.randrange(len(lines[i]) + 1)]
    return b'\n'.join(lines)


def cells(data, rng):
    lines = data.decode().splitlines()
    i = rng.choice([0, rng.randrange(len(lines)), len(lines) - 1])
    row = lines[i].split(',')
    for _ in range(rng.choice([1, 1, 3])):
        row[rng.randrange(len(row))] = rng.choice(NUMBERS + TEXTS + ['"', '"x', ',']).replace('\n', ' ')
    lines[i] = ','.join(row)
    return ('\n'.join(lines) + '\n').encode('utf-8', 'surrogateescape')


def bytes_flipped(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8, 50])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def bytes_drawn(data, rng):
    at, size = rng.randrange(len(data)), rng.choice([1, 8, 64])
    return data[:at] + rng.randbytes(size) + data[at + size:]


def torn(data, rng):
    return data[:rng.randrange(len(data))]


def nuls(data, rng):
    at = rng.randrange(len(data))
    return rng.choice([data[:at] + bytes(rng.choice([1, 100, 5000])), data[:at] + bytes(len(data) - at),
                       data[:at] + bytes(min(512, len(data) - at)) + data[at + 512:], bytes(len(data)), data + bytes(4096)])


def doubled(data, rng):
    at = rng.randrange(len(data))
    end = rng.randrange(at, len(data))
    return data[:end] + data[at:]


def huge(data, rng):
    at = rng.randrange(len(data))
    return data[:at] + rng.choice([b'[', b'{"a":', b' ', b'"', b'1', b'\xff', b'a']) * rng.choice([1000, 200_000]) + data[at:]


def nothing(data, rng):
    del data
    return rng.choice([b'', b'\n', b'{}', b'[]', b'null', b'0', b'{', b'\xff\xfe', b'x'])


ANY_BYTES = [bytes_flipped, bytes_drawn, torn, nuls, doubled, huge, nothing]
WAYS = {
    'json': [json_values] * 20 + ANY_BYTES,
    'lines': [json_lines] * 20 + [lines_moved] * 4 + ANY_BYTES,
    'csv': [cells] * 16 + [lines_moved] * 2 + ANY_BYTES,
    'bytes': ANY_BYTES,
}


def damaged(kind, data, seed):
    """`data` of a file of this kind, damaged in one way of many; the same seed gives the same. Returns it and the way's name."""
    rng = random.Random(seed)
    way = rng.choice(WAYS[kind])
    return way(data, rng), way.__name__
