#include "predict/prometheus/answer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"

namespace takt {
namespace {

std::string refusal_of(const std::string& json) {
  try {
    parse_prometheus_answer(json);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PrometheusAnswer, a_matrix_has_samples_over_time) {
  const auto answer = parse_prometheus_answer(
      R"({"status":"success","data":{"resultType":"matrix","result":[
          {"metric":{"__name__":"node_load1","instance":"a:9100"},"values":[[1435781430.781,"1"],[1435781445.5,"+Inf"]]},
          {"metric":{},"values":[]}]},"warnings":["it was hard"],"infos":[]})");
  EXPECT_EQ(answer.kind, PrometheusAnswer::Kind::matrix);
  ASSERT_EQ(answer.series.size(), 2u);
  EXPECT_EQ(answer.series[0].label("instance"), "a:9100");
  EXPECT_EQ(answer.series[0].label("job"), "");
  ASSERT_EQ(answer.series[0].samples.size(), 2u);
  EXPECT_EQ(answer.series[0].samples[0].time, 1435781430.781);
  EXPECT_EQ(answer.series[0].samples[0].value, 1);
  EXPECT_TRUE(std::isinf(answer.series[0].samples[1].value));
  EXPECT_EQ(answer.warnings, std::vector<std::string>{"it was hard"});
}

TEST(PrometheusAnswer, a_vector_a_scalar_and_numbers_of_every_spelling) {
  const auto vector = parse_prometheus_answer(
      R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"x":"y"},"value":[10,"NaN"]}]}})");
  EXPECT_TRUE(std::isnan(vector.series.at(0).samples.at(0).value));
  const auto scalar =
      parse_prometheus_answer(R"({"status":"success","data":{"resultType":"scalar","result":[10.5,"-1.5e+03"]}})");
  EXPECT_EQ(scalar.kind, PrometheusAnswer::Kind::scalar);
  EXPECT_EQ(scalar.series.at(0).samples.at(0).value, -1500);
  const auto histogram = parse_prometheus_answer(
      R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[10,{"count":"3"}]}]}})");
  EXPECT_TRUE(histogram.series.at(0).samples.empty());
}

TEST(PrometheusAnswer, a_refused_query_says_why) {
  EXPECT_EQ(refusal_of(R"({"status":"error","errorType":"bad_data","error":"parse error at char 3"})"),
            "the query is refused (bad_data): parse error at char 3");
  EXPECT_EQ(refusal_of(R"({"status":"success","data":{"resultType":"string","result":[1,"x"]}})"),
            "the query returns a string, where series of numbers are needed");
}

TEST(PrometheusAnswer, what_is_not_prometheus_is_told_by_what_is_wrong) {
  const std::string begin = R"({"status":"success","data":{"resultType":)";
  const auto wrong = [](const std::string& text) {
    const std::string told = refusal_of(text), always = "the server is not Prometheus: ";
    return told.starts_with(always) ? told.substr(always.size()) : told;
  };
  const auto sample = [&](const std::string& one) {
    return wrong(begin + R"("vector","result":[{"metric":{},"value":)" + one + "}]}}");
  };
  EXPECT_EQ(wrong("{}"), "its answer has no 'status'");
  EXPECT_EQ(wrong("[]"), "its answer has no 'status'");
  EXPECT_EQ(wrong(R"({"status":3})"), "'status' is number in its answer");
  EXPECT_EQ(wrong(R"({"status":"warning"})"), "its status is 'warning'");
  EXPECT_EQ(wrong(R"({"status":"success"})"), "its answer has no 'data'");
  EXPECT_EQ(wrong(begin + R"("matrix"}})"), "its answer has no 'result'");
  EXPECT_EQ(wrong(begin + R"("vector","result":[{"metric":{"a":1},"value":[1,"2"]}]}})"), "a label is not a string");
  EXPECT_EQ(wrong(begin + R"("matrix","result":[{"metric":{},"values":[[5,"1"],[4.5,"1"]]}]}})"),
            "samples are not in time order");
  EXPECT_EQ(wrong(begin + R"("matrix","result":[{"metric":{},"values":[[5,"1"],[5,"1"]]}]}})"), "accepted");
  for (const char* one : {"[1]", "[1,\"2\",3]", "[1,2]", "[\"1\",\"2\"]", "1"})
    EXPECT_EQ(sample(one), "a sample is not [TIME, \"VALUE\"]") << one;
  EXPECT_EQ(sample("[1,\"two\"]"), "a sample's value is 'two'");
  EXPECT_EQ(sample("[1,\"++1\"]"), "a sample's value is '++1'");
  EXPECT_EQ(sample("[1000000000000,\"1\"]"), "accepted");
  EXPECT_EQ(sample("[-1000000000000,\"1\"]"), "accepted");
  EXPECT_EQ(sample("[1000000000001,\"1\"]"), "a sample's time is not valid");
  EXPECT_EQ(sample("[-1000000000001,\"1\"]"), "a sample's time is not valid");
  EXPECT_EQ(refusal_of(R"({"status":"error","error":5})"), "the query is refused (): ");
}

TEST(PrometheusAnswer, everything_else_is_not_prometheus) {
  const std::string begin = R"({"status":"success","data":{"resultType":)";
  for (const std::string& text : {std::string(),
                                  std::string("<html>"),
                                  std::string("[]"),
                                  std::string("null"),
                                  std::string("{}"),
                                  std::string(R"({"status":3})"),
                                  std::string(R"({"status":"warning"})"),
                                  std::string(R"({"status":"success"})"),
                                  std::string(R"({"status":"success","data":[]})"),
                                  begin + R"("matrix"}})",
                                  begin + R"("matrix","result":{}}})",
                                  begin + R"("vector","result":[[1,"2"]]}})",
                                  begin + R"("vector","result":[{"metric":[],"value":[1,"2"]}]}})",
                                  begin + R"("vector","result":[{"metric":{"a":1},"value":[1,"2"]}]}})",
                                  begin + R"("vector","result":[{"metric":{},"value":[1,2]}]}})",
                                  begin + R"("vector","result":[{"metric":{},"value":[1,"two"]}]}})",
                                  begin + R"("vector","result":[{"metric":{},"value":[1,"++1"]}]}})",
                                  begin + R"("vector","result":[{"metric":{},"value":["1","2"]}]}})",
                                  begin + R"("matrix","result":[{"metric":{},"values":[[5,"1"],[4,"1"]]}]}})",
                                  begin + R"("vector","result":[{"metric":{},"value":[1e300,"2"]}]}})",
                                  begin + R"("scalar","result":[]}})"})
    EXPECT_EQ(refusal_of(text).rfind("the server is not Prometheus: ", 0), 0u) << text << ": " << refusal_of(text);
}

}  // namespace
}  // namespace takt
