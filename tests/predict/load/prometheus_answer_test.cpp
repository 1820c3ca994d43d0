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
            "the query gives a string, where series of numbers are needed");
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
    EXPECT_EQ(refusal_of(text).rfind("what answers is not Prometheus: ", 0), 0u) << text << ": " << refusal_of(text);
}

}  // namespace
}  // namespace takt
