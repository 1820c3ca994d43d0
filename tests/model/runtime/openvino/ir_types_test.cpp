// Which operator of ONNX each of OpenVINO's is, read of an IR written by hand.
#include <gtest/gtest.h>

#include <map>

#include "model/runtime/models.h"

namespace takt {
namespace {

/// f: x, floats {2,3}; b: of booleans; p: planes {1,2,4,5}.
struct Layer {
  std::string type, opset, inputs, attributes, is_in_onnx;
  bool gives_booleans = false;
};

std::string ir_port(std::size_t number, char kind) {
  const std::string dims =
      kind == 'p' ? "<dim>1</dim><dim>2</dim><dim>4</dim><dim>5</dim>" : "<dim>2</dim><dim>3</dim>";
  return "<port id=\"" + std::to_string(number) + "\" precision=\"" + (kind == 'b' ? "BOOL" : "FP32") + "\">" + dims +
         "</port>";
}

std::string ir_layer(std::size_t id, const std::string& name, const std::string& type, const std::string& opset,
                     const std::string& inside) {
  return "<layer id=\"" + std::to_string(id) + "\" name=\"" + name + "\" type=\"" + type + "\" version=\"opset" +
         opset + "\">" + inside + "</layer>";
}

std::string ir_edge(std::size_t from, std::size_t port, std::size_t to, std::size_t input) {
  return "<edge from-layer=\"" + std::to_string(from) + "\" from-port=\"" + std::to_string(port) + "\" to-layer=\"" +
         std::to_string(to) + "\" to-port=\"" + std::to_string(input) + "\"/>";
}

std::string ir_of(const std::vector<Layer>& all) {
  const std::string kinds = "fbp";
  std::string layers, edges;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    layers += ir_layer(i, std::string(1, kinds[i]), "Parameter", "1",
                       "<data shape=\"" + std::string(kinds[i] == 'p' ? "1,2,4,5" : "2,3") + "\" element_type=\"" +
                           (kinds[i] == 'b' ? "boolean" : "f32") + "\"/><output>" + ir_port(0, kinds[i]) + "</output>");
  std::size_t id = kinds.size();
  for (const Layer& layer : all) {
    std::string inside = layer.attributes.empty() ? "" : "<data " + layer.attributes + "/>";
    inside += "<input>";
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      inside += ir_port(i, layer.inputs[i]);
      edges += ir_edge(kinds.find(layer.inputs[i]), 0, id, i);
    }
    const char out = layer.gives_booleans ? 'b' : layer.inputs == "p" ? 'p' : 'f';
    inside += "</input><output>" + ir_port(layer.inputs.size(), out) + "</output>";
    layers += ir_layer(id, "op_" + std::to_string(id), layer.type, layer.opset, inside);
    layers += ir_layer(id + 1, "result_" + std::to_string(id), "Result", "1", "<input>" + ir_port(0, out) + "</input>");
    edges += ir_edge(id, layer.inputs.size(), id + 1, 0);
    id += 2;
  }
  return "<?xml version=\"1.0\"?><net name=\"n\" version=\"11\"><layers>" + layers + "</layers><edges>" + edges +
         "</edges></net>";
}

/// Of each layer, in their order.
std::vector<Op> ops_of(const std::vector<Layer>& layers) {
  const TestFolder folder;
  const Graph graph = make_runtime("openvino")->read_graph(folder.write("m.xml", ir_of(layers)), {}).value();
  std::vector<Op> ops;
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (const Op& op : graph.ops)
      if (op.name == "op_" + std::to_string(3 + 2 * i)) ops.push_back(op);
  EXPECT_EQ(ops.size(), layers.size());
  ops.resize(layers.size());
  return ops;
}

TEST(IrTypes, that_mean_the_same_in_onnx) {
  std::vector<Layer> layers;
  for (const char* type : {"Abs", "Acos", "Asin", "Atan", "Cos", "Cosh", "Erf", "Exp", "Floor", "Log", "Relu",
                           "Sigmoid", "Sign", "Sin", "Sinh", "Sqrt", "Tan", "Tanh"})
    layers.push_back({type, "1", "f", "", type});
  for (const char* type : {"Acosh", "Asinh", "Atanh", "Mish"}) layers.push_back({type, "4", "f", "", type});
  const std::string numpy = "auto_broadcast=\"numpy\"";
  for (const char* type : {"Add", "Mod"}) layers.push_back({type, "1", "ff", numpy, type});
  for (const char* type : {"Equal", "Greater", "Less"}) layers.push_back({type, "1", "ff", numpy, type, true});
  layers.insert(layers.end(), {{"Elu", "1", "f", "alpha=\"1\"", "Elu"},
                               {"LogSoftmax", "5", "f", "axis=\"1\"", "LogSoftmax"},
                               {"IsInf", "10", "f", "detect_negative=\"true\" detect_positive=\"true\"", "IsInf", true},
                               {"IsNaN", "10", "f", "", "IsNaN", true},
                               {"Ceiling", "1", "f", "", "Ceil"},
                               {"Negative", "1", "f", "", "Neg"},
                               {"HSwish", "4", "f", "", "HardSwish"},
                               {"SoftPlus", "4", "f", "", "Softplus"},
                               {"SoftSign", "9", "f", "", "Softsign"},
                               {"SoftMax", "8", "f", "axis=\"1\"", "Softmax"},
                               {"Clamp", "1", "f", "min=\"0\" max=\"1\"", "Clip"},
                               {"Convert", "1", "f", "destination_type=\"boolean\"", "Cast", true},
                               {"ConvertLike", "1", "fb", "", "CastLike", true},
                               {"Subtract", "1", "ff", numpy, "Sub"},
                               {"Multiply", "1", "ff", numpy, "Mul"},
                               {"Divide", "1", "ff", numpy + " m_pythondiv=\"true\"", "Div"},
                               {"FloorMod", "1", "ff", numpy, "Mod"},
                               {"Power", "1", "ff", numpy, "Pow"},
                               {"Maximum", "1", "ff", numpy, "Max"},
                               {"Minimum", "1", "ff", numpy, "Min"},
                               {"GreaterEqual", "1", "ff", numpy, "GreaterOrEqual", true},
                               {"LessEqual", "1", "ff", numpy, "LessOrEqual", true},
                               {"LogicalAnd", "1", "bb", numpy, "And", true},
                               {"LogicalOr", "1", "bb", numpy, "Or", true},
                               {"LogicalXor", "1", "bb", numpy, "Xor", true},
                               {"LogicalNot", "1", "b", "", "Not", true},
                               {"Select", "1", "bff", numpy, "Where"}});
  const std::vector<Op> ops = ops_of(layers);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    EXPECT_EQ(ops[i].type, layers[i].is_in_onnx) << layers[i].type;
    EXPECT_EQ(ops[i].domain, "") << layers[i].type;
  }
}

TEST(IrTypes, have_the_attributes_of_onnx) {
  const std::string mvn = "normalize_variance=\"true\" eps=\"1e-5\" across_channels=";
  const std::string window =
      "strides=\"1,1\" pads_begin=\"0,1\" pads_end=\"1,0\" kernel=\"2,2\" rounding_type=\"floor\" "
      "auto_pad=\"explicit\"";
  const std::vector<Op> ops = ops_of({{"Gelu", "7", "f", "approximation_mode=\"TANH\"", ""},
                                      {"Gelu", "7", "f", "approximation_mode=\"ERF\"", ""},
                                      {"MVN", "1", "p", mvn + "\"true\"", ""},
                                      {"MVN", "1", "p", mvn + "\"false\"", ""},
                                      {"MaxPool", "1", "p", window, ""},
                                      {"AvgPool", "1", "p", window + " exclude-pad=\"true\"", ""}});
  EXPECT_EQ(ops[0].type, "Gelu");
  EXPECT_EQ(std::get<std::string>(ops[0].attributes.at("approximate")), "tanh");
  EXPECT_FALSE(ops[1].attributes.contains("approximate"));
  EXPECT_EQ(ops[2].type, "MVN");
  EXPECT_EQ(std::get<std::int64_t>(ops[2].attributes.at("axis")), 1);
  EXPECT_EQ(std::get<std::int64_t>(ops[3].attributes.at("axis")), 2);
  EXPECT_EQ(ops[4].type, "MaxPool");
  EXPECT_EQ(ops[5].type, "AveragePool");
  for (const std::size_t i : {4u, 5u}) {
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(ops[i].attributes.at("kernel_shape")),
              (std::vector<std::int64_t>{2, 2}));
    EXPECT_FALSE(ops[i].attributes.contains("kernel"));
  }
}

std::string ir_port_of(std::size_t number, const Shape& shape, bool is_whole = false) {
  std::string dims;
  for (const auto size : shape) dims += "<dim>" + std::to_string(size) + "</dim>";
  return "<port id=\"" + std::to_string(number) + "\" precision=\"" + (is_whole ? "I32" : "FP32") + "\">" + dims +
         "</port>";
}

TEST(IrTypes, of_sequences_have_the_batch_first) {
  const std::vector<Shape> shapes{{2, 7, 8}, {2, 1, 4}, {2}, {1, 12, 8}, {1, 12, 4}, {1, 12}};
  std::string layers, edges, read;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const bool is_length = i == 2;
    const std::string text = to_string(shapes[i]);
    layers +=
        ir_layer(i, "p" + std::to_string(i), "Parameter", "1",
                 "<data shape=\"" + text.substr(1, text.size() - 2) + "\" element_type=\"" +
                     (is_length ? "i32" : "f32") + "\"/><output>" + ir_port_of(0, shapes[i], is_length) + "</output>");
    read += ir_port_of(i, shapes[i], is_length);
    edges += ir_edge(i, 0, 6, i);
  }
  layers += ir_layer(6, "gru", "GRUSequence", "5",
                     "<data hidden_size=\"4\" direction=\"forward\" linear_before_reset=\"false\"/><input>" + read +
                         "</input><output>" + ir_port_of(6, {2, 1, 7, 4}) + ir_port_of(7, {2, 1, 4}) + "</output>");
  layers += ir_layer(7, "result", "Result", "1", "<input>" + ir_port_of(0, {2, 1, 7, 4}) + "</input>");
  edges += ir_edge(6, 6, 7, 0);
  const TestFolder folder;
  const auto path = folder.write("m.xml", "<?xml version=\"1.0\"?><net name=\"n\" version=\"11\"><layers>" + layers +
                                              "</layers><edges>" + edges + "</edges></net>");
  const Graph graph = make_runtime("openvino")->read_graph(path, {}).value();
  ASSERT_EQ(graph.ops.size(), 1u);
  EXPECT_EQ(graph.ops[0].type, "GRU");
  EXPECT_EQ(std::get<std::int64_t>(graph.ops[0].attributes.at("layout")), 1);
  EXPECT_EQ(graph.tensor(graph.ops[0].inputs.at(4)).type, ElementType::i32) << "the lengths";
}

}  // namespace
}  // namespace takt
