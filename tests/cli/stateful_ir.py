"""IRs of OpenVINO with what ONNX has no word for: a variable, limits of open dimensions."""


def write_sum_with_state(path):
    """y = x + s, and s becomes y."""
    layers = [('x', 'Parameter', 'opset1', '<data shape="1,2" element_type="f32"/>', [], [0]),
              ('read', 'ReadValue', 'opset6', '<data variable_id="s" variable_type="f32" variable_shape="1,2"/>', [], [0]),
              ('y', 'Add', 'opset1', '<data auto_broadcast="numpy"/>', [0, 1], [2]),
              ('keep', 'Assign', 'opset6', '<data variable_id="s"/>', [0], [1]),
              ('result', 'Result', 'opset1', '', [0], [])]
    write(path, layers, [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (2, 2, 4, 0)], (1, 2))


def write_limited(path, limits):
    """y = relu(x), whose two dimensions are within `limits`, as "1..10,4.."."""
    layers = [('x', 'Parameter', 'opset1', f'<data shape="{limits}" element_type="f32"/>', [], [0]),
              ('y', 'ReLU', 'opset1', '', [0], [1]),
              ('result', 'Result', 'opset1', '', [0], [])]
    write(path, layers, [(0, 0, 1, 0), (1, 1, 2, 0)], (-1, -1))


def write(path, layers, edges, sizes):
    def port(number):
        dims = ''.join(f'<dim>{size}</dim>' for size in sizes)
        return f'<port id="{number}" precision="FP32">{dims}</port>'
    text = '<?xml version="1.0"?><net name="sum" version="11"><layers>'
    for number, (name, kind, version, data, takes, gives) in enumerate(layers):
        text += f'<layer id="{number}" name="{name}" type="{kind}" version="{version}">{data}'
        text += ''.join(f'<{side}>{"".join(map(port, ports))}</{side}>'
                        for side, ports in (('input', takes), ('output', gives)) if ports)
        text += '</layer>'
    text += '</layers><edges>' + ''.join(
        f'<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}"/>' for a, b, c, d in edges)
    path.write_text(text + '</edges></net>', encoding='utf-8')
    path.with_suffix('.bin').touch()
