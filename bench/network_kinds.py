"""Ten small networks of kinds that the zoo lacks, built with the onnx package: python3 network_kinds.py FOLDER."""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


class Builder:
    """A graph under construction; every method returns the name of a tensor."""

    def __init__(self, dtype=np.float32):
        self.nodes, self.weights, self.inputs = [], [], []
        self.dtype, self.random = dtype, np.random.default_rng(1)

    def name(self, stem):
        return f'{stem}{len(self.nodes) + len(self.weights)}'

    def constant(self, values):
        name = self.name('c')
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def weight(self, *shape):
        fan_in = int(np.prod(shape[1:])) if len(shape) > 2 else shape[0]
        return self.constant((self.random.uniform(-1, 1, shape) * np.sqrt(3 / max(1, fan_in))).astype(self.dtype))

    def input(self, name, shape, kind=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [self.name(kind.lower() + '_') + (f'_{i}' if outputs > 1 else '') for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, self.name(kind), **attributes))
        return names[0] if outputs == 1 else names

    def conv(self, x, channels_in, channels, window, dims=2, groups=1, **attributes):
        w = self.weight(channels, channels_in // groups, *[window] * dims)
        attributes.setdefault('pads', [window // 2] * 2 * dims)
        return self.op('Conv', x, w, self.weight(channels), group=groups, **attributes)

    def linear(self, x, columns_in, columns):
        return self.op('Add', self.op('MatMul', x, self.weight(columns_in, columns)), self.weight(columns))

    def norm(self, x, size):
        return self.op('LayerNormalization', x, self.constant(np.ones(size, self.dtype)), self.constant(np.zeros(size, self.dtype)), axis=-1)

    def gelu(self, x):
        half, one, root = (self.constant(np.array(value, self.dtype)) for value in (0.5, 1.0, np.sqrt(2.0)))
        return self.op('Mul', self.op('Mul', x, self.op('Add', self.op('Erf', self.op('Div', x, root)), one)), half)

    def reshape(self, x, *shape):
        return self.op('Reshape', x, self.constant(np.array(shape, np.int64)))

    def encoder(self, x, words, size, heads):
        def split(y, order):
            return self.op('Transpose', self.reshape(self.linear(y, size, size), 1, words, heads, size // heads), perm=order)
        y = self.norm(x, size)
        scores = self.op('MatMul', split(y, [0, 2, 1, 3]), split(y, [0, 2, 3, 1]))
        scaled = self.op('Div', scores, self.constant(np.array(np.sqrt(size / heads), self.dtype)))
        mixed = self.op('MatMul', self.op('Softmax', scaled, axis=-1), split(y, [0, 2, 1, 3]))
        x = self.op('Add', x, self.linear(self.reshape(self.op('Transpose', mixed, perm=[0, 2, 1, 3]), 1, words, size), size, size))
        inner = self.gelu(self.linear(self.norm(x, size), size, 4 * size))
        return self.op('Add', x, self.linear(inner, 4 * size, size))

    def write(self, path, output, kind=FLOAT):
        graph = helper.make_graph(self.nodes, path.stem, self.inputs, [helper.make_tensor_value_info(output, kind, None)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid('', 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def convnext(path):
    b = Builder()
    x, size, channels = b.input('x', [1, 3, 224, 224]), 56, 64
    x = b.conv(x, 3, channels, 4, strides=[4, 4], pads=[0] * 4)
    for stage in range(2):
        for _ in range(2):
            y = b.op('Transpose', b.conv(x, channels, channels, 7, groups=channels), perm=[0, 2, 3, 1])
            y = b.linear(b.gelu(b.linear(b.norm(y, channels), channels, 4 * channels)), 4 * channels, channels)
            x = b.op('Add', x, b.op('Transpose', y, perm=[0, 3, 1, 2]))
        if stage == 0:
            x, size, channels = b.conv(x, channels, 2 * channels, 2, strides=[2, 2], pads=[0] * 4), size // 2, 2 * channels
    b.write(path, b.linear(b.op('Flatten', b.op('GlobalAveragePool', x)), channels, 1000))


def vit(path):
    b = Builder()
    x = b.conv(b.input('x', [1, 3, 224, 224]), 3, 192, 16, strides=[16, 16], pads=[0] * 4)
    x = b.op('Transpose', b.reshape(x, 1, 192, 196), perm=[0, 2, 1])
    x = b.op('Add', x, b.weight(1, 196, 192))
    for _ in range(6):
        x = b.encoder(x, 196, 192, 3)
    b.write(path, b.linear(b.op('ReduceMean', b.norm(x, 192), axes=[1], keepdims=0), 192, 1000))


def bert(path):
    b = Builder()
    words = b.input('ids', [1, 128], TensorProto.INT64)
    x = b.norm(b.op('Add', b.op('Gather', b.weight(8192, 256), words), b.weight(1, 128, 256)), 256)
    for _ in range(4):
        x = b.encoder(x, 128, 256, 4)
    b.write(path, b.linear(x, 256, 2))


def lstm(path):
    b = Builder()
    x = b.input('x', [64, 1, 128])
    for width in (128, 256):
        y, _, _ = b.op('LSTM', x, b.weight(1, 1024, width), b.weight(1, 1024, 256), outputs=3, hidden_size=256)
        x = b.reshape(y, 64, 1, 256)
    b.write(path, b.linear(x, 256, 100))


def unet(path):
    b = Builder()
    x, channels, kept = b.input('x', [1, 3, 128, 128]), 3, []
    for wider in (16, 32, 64):
        x = b.op('Relu', b.conv(b.op('Relu', b.conv(x, channels, wider, 3)), wider, wider, 3))
        kept.append((x, wider))
        x, channels = b.op('MaxPool', x, kernel_shape=[2, 2], strides=[2, 2]), wider
    x, channels = b.op('Relu', b.conv(x, 64, 128, 3)), 128
    for skip, narrower in reversed(kept):
        x = b.op('ConvTranspose', x, b.weight(channels, narrower, 2, 2), strides=[2, 2])
        x, channels = b.op('Relu', b.conv(b.op('Concat', x, skip, axis=1), 2 * narrower, narrower, 3)), narrower
    b.write(path, b.op('Sigmoid', b.conv(x, 16, 1, 1)))


def dlrm(path):
    b, batch, tables, size = Builder(), 128, 8, 32
    x = b.input('dense', [batch, 13])
    for before, after in ((13, 256), (256, 64), (64, size)):
        x = b.op('Relu', b.linear(x, before, after))
    ids = b.input('ids', [batch, tables], TensorProto.INT64)
    rows = [b.op('Gather', b.weight(5000, size), b.op('Gather', ids, b.constant(np.array([i], np.int64)), axis=1)) for i in range(tables)]
    all_rows = b.op('Concat', b.reshape(x, batch, 1, size), *rows, axis=1)
    pairs = b.op('MatMul', all_rows, b.op('Transpose', all_rows, perm=[0, 2, 1]))
    x, width = b.op('Concat', x, b.reshape(pairs, batch, (tables + 1) ** 2), axis=1), size + (tables + 1) ** 2
    for after in (512, 256, 1):
        x, width = b.linear(b.op('Relu', x), width, after), after
    b.write(path, b.op('Sigmoid', x))


def int8_qdq(path):
    b = Builder()
    scale = b.constant(np.float32(0.02))

    def quantised(y, zero=0):  # 0: behind Relu, so that runtimes drop it and compute the convolution in integers
        zero = b.constant(np.uint8(zero))
        return b.op('DequantizeLinear', b.op('QuantizeLinear', y, scale, zero), scale, zero)

    def conv(y, channels_in, channels, stride):
        w = b.constant(b.random.integers(-127, 127, (channels, channels_in, 3, 3)).astype(np.int8))
        w = b.op('DequantizeLinear', w, b.constant(np.float32(0.01 / channels_in)), b.constant(np.int8(0)))
        return quantised(b.op('Relu', b.op('Conv', y, w, pads=[1] * 4, strides=[stride] * 2)))
    x, channels = quantised(b.input('x', [1, 3, 112, 112]), 128), 3
    for wider, stride in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1)):
        x, channels = conv(x, channels, wider, stride), wider
    b.write(path, b.linear(b.op('Flatten', b.op('GlobalAveragePool', x)), channels, 100))


def conv3d(path):
    b = Builder()
    x, channels = b.input('x', [1, 3, 16, 56, 56]), 3
    for wider in (16, 32, 64):
        x, channels = b.op('Relu', b.conv(x, channels, wider, 3, dims=3)), wider
        x = b.op('MaxPool', x, kernel_shape=[2] * 3, strides=[2] * 3)
    b.write(path, b.linear(b.op('Flatten', b.op('GlobalAveragePool', x)), channels, 100))


def loop(path):
    b = Builder()
    x = b.input('x', [1, 256])
    w = b.weight(256, 256)
    body = helper.make_graph(
        [helper.make_node('Identity', ['go'], ['go_on']), helper.make_node('MatMul', ['state', w], ['product']),
         helper.make_node('Tanh', ['product'], ['next'])], 'turn',
        [helper.make_tensor_value_info('turn', TensorProto.INT64, []), helper.make_tensor_value_info('go', TensorProto.BOOL, []),
         helper.make_tensor_value_info('state', FLOAT, [1, 256])],
        [helper.make_tensor_value_info('go_on', TensorProto.BOOL, []), helper.make_tensor_value_info('next', FLOAT, [1, 256])])
    b.write(path, b.op('Loop', b.constant(np.int64(200)), b.constant(np.bool_(True)), x, body=body))


def float16(path):
    b = Builder(np.float16)
    x, channels = b.input('x', [1, 3, 96, 96], TensorProto.FLOAT16), 3
    for wider, stride in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1)):
        x, channels = b.op('Relu', b.conv(x, channels, wider, 3, strides=[stride] * 2)), wider
    b.write(path, b.linear(b.op('Flatten', b.op('GlobalAveragePool', x)), channels, 100), TensorProto.FLOAT16)


KINDS = (convnext, vit, bert, lstm, unet, dlrm, int8_qdq, conv3d, loop, float16)

if __name__ == '__main__':
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        kind(folder / f'{kind.__name__}.onnx')
