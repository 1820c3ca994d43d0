// What OpenVINO says of models that it cannot read, as it says it.
#include "model/openvino/conversion_errors.h"

#include <gtest/gtest.h>

namespace takt::openvino {
namespace {

const std::string beginning =
    "Exception from src/inference/src/cpp/core.cpp:84:\nCheck 'false' failed at "
    "src/frontends/common_translators/src/unconverted_ops_report.cpp:151:\nFrontEnd API failed with "
    "OpConversionFailure:\nModel wasn't fully converted.";

TEST(ConversionReason, names_operators_that_are_unknown_but_none_of_its_own) {
  EXPECT_EQ(conversion_reason(beginning + "\nSummary:\n-- No conversion rule found for operations: SequenceMap-17, "
                                          "util::ConcatFromSequence, my.Twice, util::SequenceMark\n\n"),
            "OpenVINO does not support the operator SequenceMap-17, my.Twice; use --runtime onnxruntime");
  EXPECT_EQ(
      conversion_reason(beginning + "\nSummary:\n-- No conversion rule found for operations: util::SequenceMark\n\n"),
      "OpenVINO does not support the operator util::SequenceMark; use --runtime onnxruntime")
      << "alone it is all that there is";
}

TEST(ConversionReason, names_the_operator_its_tensor_and_the_last_line) {
  EXPECT_EQ(
      conversion_reason(
          beginning +
          " Failed operations detailed log:\n-- Dropout-13 with a message:\nCheck '(!training_mode)' failed at "
          "src/frontends/onnx/frontend/src/op/dropout.cpp:20:\nWhile validating ONNX node '<Node(Dropout): y>':\n"
          "Training mode is not supported for Dropout op\n\nSummary:\n-- Conversion is failed for: Dropout-13\n\n"),
      "OpenVINO cannot convert the operator Dropout-13 that makes 'y': Training mode is not supported for Dropout "
      "op; try --runtime onnxruntime");
}

TEST(ConversionReason, has_the_shapes_that_do_not_fit) {
  EXPECT_EQ(
      conversion_reason(
          beginning +
          " Failed operations detailed log:\n-- Concat-17 with a message:\nWhile validating ONNX node '<Node(Concat): "
          "e>': Check 'TRShape::merge_into(output_shape, in_copy)' failed at "
          "src/core/shape_inference/include/concat_shape_inference.hpp:43:\nWhile validating node 'opset1::Concat "
          "Concat_14 (opset1::ConvolutionBackpropData d[0]:f32[1,8,14,14], opset1::Convolution b[0]:f32[1,8,15,15]) -> "
          "(dynamic[...])' with friendly_name 'Concat_14':\nShape inference input shapes {[1,8,14,14],[1,8,15,15]}\n"
          "Argument shapes are inconsistent.\n\nSummary:\n-- Conversion is failed for: Concat-17\n\n"),
      "OpenVINO cannot convert the operator Concat-17 that makes 'e': Argument shapes are inconsistent, of shapes "
      "{[1,8,14,14],[1,8,15,15]}; try --runtime onnxruntime");
}

TEST(ConversionReason, of_several_failures_is_the_first) {
  EXPECT_EQ(conversion_reason(
                beginning + " Failed operations detailed log:\n-- Conv-17 with a message:\nWhile validating ONNX node "
                            "'<Node(Conv): c>': Check 'x' failed at src/a.cpp:38:\nThe rank has to be known\n\n-- "
                            "Pad-17 with a message:\nElement not supported\n\nSummary:\n-- Conversion is failed"),
            "OpenVINO cannot convert the operator Conv-17 that makes 'c': The rank has to be known; try --runtime "
            "onnxruntime");
}

TEST(ConversionReason, of_another_message_is_the_message) {
  EXPECT_EQ(
      conversion_reason("Exception from src/inference/src/cpp/core.cpp:84:\nLoading input model\nUnsupported type\n"),
      "Loading input model Unsupported type");
  EXPECT_EQ(conversion_reason(""), "no reason given");
}

}  // namespace
}  // namespace takt::openvino
