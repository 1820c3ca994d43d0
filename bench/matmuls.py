"""An ONNX model of independent matrix products, written without the onnx package: products of one size, so that each is
the same share of the run, and a longer inner dimension makes one or all of them slower by a known factor."""
import pathlib
import random
import struct

ROWS, COLUMNS = 64, 256
FLOAT = 1


def varint(value):
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes(data) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def value_info(name, shape):
    dims = b"".join(text(1, number(1, extent)) for extent in shape)
    return text(1, name) + text(2, text(1, number(1, FLOAT) + text(2, dims)))


def product(index, inner, rng):
    """Fields of GraphProto: node, initializer, input, output."""
    names = [f"x{index}", f"w{index}", f"y{index}"]
    values = (rng.uniform(-1, 1) for _ in range(inner * COLUMNS))
    weights = number(1, inner) + number(1, COLUMNS) + number(2, FLOAT) + text(8, names[1])
    weights += text(9, struct.pack(f"<{inner * COLUMNS}f", *values))
    node = text(1, names[0]) + text(1, names[1]) + text(2, names[2]) + text(3, f"matmul{index}") + text(4, "MatMul")
    return (text(1, node), text(5, weights), text(11, value_info(names[0], (ROWS, inner))),
            text(12, value_info(names[2], (ROWS, COLUMNS))))


def model_of(nodes, weights, inputs, outputs):
    graph = b"".join(nodes) + text(2, "matmuls") + b"".join([*weights, *inputs, *outputs])
    return number(1, 8) + text(7, graph) + text(8, text(1, "") + number(2, 17))


def chain(rows, inner, columns, tiny):
    """A product of {rows,inner} and {inner,columns}; if `tiny` is not 0, its mean and so many sines of that one number."""
    rng = random.Random(1)
    values = (rng.uniform(-1, 1) for _ in range(inner * columns))
    weights = number(1, inner) + number(1, columns) + number(2, FLOAT) + text(8, "w")
    weights += text(9, struct.pack(f"<{inner * columns}f", *values))
    names, shape = ["product"], (rows, columns)
    nodes = [text(1, "x") + text(1, "w") + text(2, "product") + text(3, "product") + text(4, "MatMul")]
    if tiny:
        axes = text(1, "axes") + number(8, 0) + number(8, 1) + number(20, 7)
        nodes.append(text(1, "product") + text(2, "mean") + text(3, "mean") + text(4, "ReduceMean") + text(5, axes))
        names, shape = ["mean"], (1, 1)
    for index in range(tiny):
        nodes.append(text(1, names[-1]) + text(2, f"sine{index}") + text(3, f"sine{index}") + text(4, "Sin"))
        names.append(f"sine{index}")
    return model_of([text(1, node) for node in nodes], [text(5, weights)], [text(11, value_info("x", (rows, inner)))],
                    [text(12, value_info(names[-1], shape))])


def write(path, inner):
    """A product for each extent of `inner`."""
    rng = random.Random(1)
    parts = zip(*(product(index, extent, rng) for index, extent in enumerate(inner)))
    pathlib.Path(path).write_bytes(model_of(*parts))
