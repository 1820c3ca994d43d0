// What takt says of a file that was given as a model and is none: by its ending, its first bytes and, of JSON, its
// keys.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "measure/open/misplaced_file.h"
#include "model/runtime/runtime.h"

namespace takt {
namespace {

struct Told {
  std::string file, start, said;
};

void expect_told(const std::vector<Told>& all, const std::string& runtime = "onnxruntime") {
  for (const Told& told : all)
    EXPECT_EQ(misplacement(told.file, told.start, runtime), told.said) << told.file << " starts with " << told.start;
}

/// "--runtime openvino reads it, or ", in a binary that has it.
std::string or_by_another_runtime() {
  const std::string reader = runtime_that(&RuntimeTraits::reads_other_formats);
  return reader.empty() ? "" : "--runtime " + reader + " reads it, or ";
}

const std::string torch = R"(export it with torch.onnx.export(model, inputs, "model.onnx"))";
const std::string tensorflow = "convert it to ONNX with tf2onnx";
const std::string weights = "it holds weights without operators: export the whole model to ONNX";

TEST(MisplacedFile, IsKnownByItsEnding) {
  const std::string pickle = "is a Python pickle, as PyTorch saves; " + torch;
  const std::string keras = "is a Keras model; " + tensorflow;
  const std::string numpy = "is a NumPy file; give it as the value of an --input";
  const std::string engine =
      "is a TensorRT engine; it runs only in TensorRT: give the ONNX model that it was built from";
  expect_told({{"m.pt", "x", "is a PyTorch file; " + torch},
               {"m.pth", "x", "is a PyTorch file; " + torch},
               {"m.ckpt", "x", "is a PyTorch file; " + torch},
               {"m.pt2", "x", "is a PyTorch file; " + torch},
               {"m.pkl", "x", pickle},
               {"m.h5", "x", keras},
               {"m.keras", "x", keras},
               {"m.hdf5", "x", keras},
               {"m.safetensors", "x", "is a safetensors file; " + weights},
               {"m.gguf", "x", "is a GGUF file; " + weights},
               {"m.npy", "x", numpy},
               {"m.npz", "x", numpy},
               {"m.engine", "x", engine},
               {"m.plan", "x", engine}});
}

TEST(MisplacedFile, EndsInCapitalsToo) {
  expect_told({{"M.PT", "x", "is a PyTorch file; " + torch}});
  expect_told({{"M.XML", R"({"takt": 1})", ""}}, "openvino");
}

TEST(MisplacedFile, IsKnownByItsFirstBytesUnderAnyEnding) {
  expect_told({{"m.onnx", "\x80\x02}q", "is a Python pickle, as PyTorch saves; " + torch},
               {"m.bin", "\x89HDF\r\n", "is a Keras model; " + tensorflow},
               {"m", "GGUF\x03", "is a GGUF file; " + weights},
               {"m.onnx", "\x93NUMPY\x01", "is a NumPy file; give it as the value of an --input"}});
}

TEST(MisplacedFile, IsKnownOnlyByBytesAtTheirOwnPlace) {
  const std::string lite = "is a TensorFlow Lite model; " + or_by_another_runtime() + tensorflow;
  expect_told({{"m.onnx", "\x1c...TFL3", lite},
               {"m.onnx", "TFL3", ""},
               {"m.onnx", "TFL", ""},
               {"m.onnx", "...TFL3", ""},
               {"m.onnx", ".....TFL3", ""},
               {"m.onnx", ".GGUF", ""},
               {"m.onnx", "", ""}});
}

TEST(MisplacedFile, IsForOpenVinoWhereOnlyThatReadsIt) {
  const std::string model = "is a TensorFlow model; " + or_by_another_runtime() + tensorflow;
  const std::vector<Told> all{
      {"m.tflite", "x", "is a TensorFlow Lite model; " + or_by_another_runtime() + tensorflow},
      {"m.pb", "x", model},
      {"m.pbtxt", "x", model},
      {"m.savedmodel", "x", model},
      {"m.pdmodel", "x",
       "is a PaddlePaddle model; " + or_by_another_runtime() + "convert it to ONNX with paddle2onnx"}};
  expect_told(all);
  if (runtime_that(&RuntimeTraits::reads_other_formats) != "openvino") return;
  for (const Told& told : all) EXPECT_EQ(misplacement(told.file, told.start, "openvino"), "") << told.file;
  EXPECT_EQ(misplacement("m.pt", "x", "openvino"), "is a PyTorch file; " + torch);
}

TEST(MisplacedFile, AnIrIsNotForOnnxRuntime) {
  const Told ir{
      "m.xml", "<?xml version=\"1.0\"?>",
      "is OpenVINO's IR, which --runtime onnxruntime does not read; give the ONNX model that it was converted from, or "
      "use OpenVINO"};
  const auto names = runtime_names();
  if (std::find(names.begin(), names.end(), "onnxruntime") != names.end()) expect_told({ir});
  for (const std::string runtime : {"openvino", "sim"}) EXPECT_EQ(misplacement(ir.file, ir.start, runtime), "");
}

TEST(MisplacedFile, IsToBeUnpacked) {
  const std::string packed = "is a packed file; unpack it, and name the model in it";
  expect_told({{"m.onnx.gz", "x", packed}, {"m.zip", "PK", packed}, {"m.onnx", "\x1f\x8b\x08", packed}});
}

TEST(MisplacedFile, OfJsonHasItsListInNoOnnxFile) {  // a model in text may start with a bracket, never with a brace
  const std::string other = "is JSON; name an .onnx or .xml file";
  expect_told({{"m.onnx", R"([{"ph": "X"}])", ""},
               {"m.onnx", "{}", other},
               {"f.json", "[1, 2]", other},
               {"f.json", "\n  {}", other}});
}

TEST(MisplacedFile, OfYamlDescribesAPipelineOrADevice) {
  const std::string pipeline = "is YAML; name an .onnx or .xml file";
  const std::string device = "is YAML; to use it as a device description, give --device sim:";
  expect_told({{"d/p.yaml", "name: x\nstages:\n", pipeline},
               {"p.yml", "stages: []\n", pipeline},
               {"d/npu.yaml", "cores: 4\n", device + "npu"},
               {"npu.yml", "", device + "npu"},
               {"\033.yml", "", device + R"(\x1b)"},
               {"npu.txt", "stages: []\n", ""},
               {"d/r.csv", "layerName;execStatus\n", ""}});
}

}  // namespace
}  // namespace takt
