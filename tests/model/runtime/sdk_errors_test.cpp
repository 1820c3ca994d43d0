#include "model/runtime/sdk_errors.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace takt {
namespace {

TEST(OneSentence, line_ends_and_source_positions_go) {
  EXPECT_EQ(one_sentence("Exception from src/inference/src/cpp/core.cpp:90:\nCannot load library\n\n"),
            "Cannot load library");
  EXPECT_EQ(one_sentence("/a/b/model.cc:12 (onnxruntime::Model::Load(int)) Protobuf parsing failed."),
            "Protobuf parsing failed");
  EXPECT_EQ(one_sentence(""), "no reason given");
}

TEST(OneSentence, a_long_or_hostile_message_stays_short) {
  EXPECT_LE(one_sentence(std::string(100'000, 'x')).size(), 300u);
  EXPECT_LE(one_sentence(std::string(100'000, '(')).size(), 300u);
  EXPECT_EQ(one_sentence("a\x1b[31mb").find('\x1b'), std::string::npos);
}

TEST(Guarded, a_foreign_exception_becomes_one_sentence_with_its_place) {
  try {
    guarded("m.onnx: sdk", []() -> int { throw std::runtime_error("/a/b.cpp:12: no\nmemory"); });
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "m.onnx: sdk: no memory");
    EXPECT_EQ(e.kind(), ErrorKind::runtime);
  }
}

TEST(Guarded, the_caller_says_what_kind_of_error_it_is) {
  const KindOfError unsupported = [](const std::exception&) { return ErrorKind::unsupported; };
  try {
    guarded(
        "m.onnx: sdk", [] { throw std::bad_alloc(); }, unsupported);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unsupported);
  }
}

TEST(Guarded, results_and_errors_of_takt_pass) {
  EXPECT_EQ(guarded("m.onnx: sdk", [] { return 7; }), 7);
  try {
    guarded("m.onnx: sdk", [] { throw Error(ErrorKind::io, "as it is"); });
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "as it is");
    EXPECT_EQ(e.kind(), ErrorKind::io);
  }
}

}  // namespace
}  // namespace takt
