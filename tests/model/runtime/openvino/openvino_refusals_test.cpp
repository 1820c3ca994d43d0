// What OpenVINO's adapter does not open, in whole sentences.
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "model/runtime/models.h"

namespace takt {
namespace {

/// What is said when the model is opened with these settings, the folder of its path left out.
std::string said_on_opening(const ModelBuilder& builder, const SessionSettings& settings) {
  const TestFolder folder;
  const auto path = folder.write("m.onnx", builder.serialize());
  const OnnxModel model = read_onnx(path);
  try {
    make_runtime("openvino")->open(path, &model.graph, settings);
  } catch (const Error& error) {
    std::string text = error.what();
    if (const auto at = text.find(folder.path().string()); at == 0) text.erase(0, folder.path().string().size() + 1);
    return text;
  }
  return "opened";
}

TEST(OpenVinoRefusals, strings_are_named_by_their_port) {
  ModelBuilder b;
  b.output(b.node("Identity", {b.input("words", ElementType::string, {2})}, {}, {.outputs = {"same"}}),
           ElementType::string, {2});
  EXPECT_EQ(said_on_opening(b, {}),
            "m.onnx: openvino: 'words' holds strings, which OpenVINO's devices do not run; use --runtime onnxruntime");
}

TEST(OpenVinoRefusals, an_executed_graph_has_the_ending_of_its_format) {
  SessionSettings settings;
  settings.executed_graph = "executed.json";
  EXPECT_EQ(said_on_opening(conv_matmul(), settings),
            "executed.json: OpenVINO writes its model as NAME.xml and NAME.bin; name a .xml file");
}

TEST(OpenVinoRefusals, a_property_that_is_nearly_one_is_named) {
  SessionSettings settings;
  settings.properties = {{"PERF_CUONT", "YES"}};
  EXPECT_EQ(said_on_opening(conv_matmul(), settings),
            "m.onnx: openvino: --property PERF_CUONT: CPU has no such property; did you mean 'PERF_COUNT'?");
}

/// An IR with a constant of eight bytes beside it.
std::string said_on_reading(const std::string& weights) {
  const std::string ports = "<output><port id=\"0\" precision=\"FP32\"><dim>2</dim></port></output>";
  const std::string ir =
      "<?xml version=\"1.0\"?><net name=\"n\" version=\"11\"><layers><layer id=\"0\" name=\"c\" type=\"Const\" "
      "version=\"opset1\"><data element_type=\"f32\" shape=\"2\" offset=\"0\" size=\"8\"/>" +
      ports +
      "</layer><layer id=\"1\" name=\"r\" type=\"Result\" version=\"opset1\"><input><port id=\"0\" "
      "precision=\"FP32\"><dim>2</dim></port></input></layer></layers><edges><edge from-layer=\"0\" from-port=\"0\" "
      "to-layer=\"1\" to-port=\"0\"/></edges></net>";
  const TestFolder folder;
  const auto path = folder.write("m.xml", ir);
  if (!weights.empty()) folder.write("m.bin", weights);
  try {
    make_runtime("openvino")->read_graph(path, {});
  } catch (const Error& error) {
    return std::string(error.what()).substr(folder.path().string().size() + 1);
  }
  return "read";
}

TEST(OpenVinoRefusals, weights_that_are_missing_or_cut_off_are_named) {
  EXPECT_EQ(said_on_reading(std::string(8, '\0')), "read");
  EXPECT_EQ(said_on_reading(""),
            "m.xml: openvino: cannot be read: its weights, 'm.bin', cannot be found; put them next to it");
  EXPECT_EQ(said_on_reading(std::string(3, '\0')),
            "m.xml: openvino: cannot be read: its weights, 'm.bin', are truncated or belong to another model");
}

}  // namespace
}  // namespace takt
