// Operators of a user's own library, each runtime's kind built as its users build them.
#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "model/onnx/builder.h"
#include "model/runtime/models.h"
#include "refused.h"

#ifndef TAKT_OPENVINO_OPS
#define TAKT_OPENVINO_OPS ""
#endif
#ifndef TAKT_ONNXRUNTIME_OPS
#define TAKT_ONNXRUNTIME_OPS ""
#endif

namespace takt {
namespace {

constexpr const char* doubling_ir = R"(<?xml version="1.0"?>
<net name="doubling" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,2" element_type="f32" />
 <output><port id="0" precision="FP32" names="x"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="1" name="y" type="Doubling" version="test">
 <input><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></input>
 <output><port id="1" precision="FP32" names="y"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="2" name="result" type="Result" version="opset1">
 <input><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0" />
<edge from-layer="1" from-port="1" to-layer="2" to-port="0" />
</edges></net>)";

class CustomOps : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "sim") GTEST_SKIP() << "refused, see CustomOpsOfSim";
  }
  bool is_openvino() const { return GetParam() == "openvino"; }
  std::filesystem::path library() const { return is_openvino() ? TAKT_OPENVINO_OPS : TAKT_ONNXRUNTIME_OPS; }

  std::filesystem::path model() const {
    if (is_openvino()) {
      folder_.write("doubling.bin", "");
      return folder_.write("doubling.xml", doubling_ir);
    }
    ModelBuilder b;
    const std::string x = b.input("x", ElementType::f32, {1, 2});
    b.output(b.node("Doubling", {x}, {}, {.domain = "test.ops"}), ElementType::f32, {1, 2});
    return folder_.write("doubling.onnx", b.serialize());
  }

  TestFolder folder_;
};

TEST_P(CustomOps, are_found_in_the_library_and_timed) {
  const auto runtime = make_runtime(GetParam());
  runtime->add_custom_ops(library());
  SessionSettings settings;
  settings.profile_ops = true, settings.precision = ElementType::f32;
  const auto session = runtime->open(model(), nullptr, settings);
  session->set_inputs({floats(session->inputs().at(0).name, {1, 2}, {1, -3})});
  session->run();
  EXPECT_EQ(values_of(session->outputs_of_last_run().at(0)), (std::vector<float>{2, -6}));
}

TEST_P(CustomOps, without_the_library_the_operator_is_named) {
  try {
    make_runtime(GetParam())->open(model(), nullptr, {});
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("Doubling"));
  }
}

TEST_P(CustomOps, a_file_that_is_none_for_the_runtime_is_refused_by_its_name) {
  const auto runtime = make_runtime(GetParam());
  const auto text = folder_.write("ops.so", "no library");
  for (const auto& [file, why] :
       {std::pair(text, "is no library of operators"), std::pair(folder_.path() / "none.so", "no such file"),
        std::pair(folder_.path(), "is a folder")})
    try {
      runtime->add_custom_ops(file);
      FAIL() << file;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(file.string()), testing::HasSubstr(why)));
    }
}

TEST(CustomOpsOfSim, are_refused) {
  EXPECT_EQ(refused_with([] { make_runtime("sim")->add_custom_ops("ops.so"); }),
            "ops.so: sim has no libraries of operators");
}

INSTANTIATE_TEST_SUITE_P(Runtimes, CustomOps, testing::ValuesIn(runtime_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace takt
