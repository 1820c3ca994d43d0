// Whatever a server does: one sentence that names it, within the time that was granted.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "fake_server.h"
#include "predict/prometheus/load.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

const std::string time_answer = R"({"status":"success","data":{"resultType":"scalar","result":[1000,"1000"]}})";
const std::string no_series = R"({"status":"success","data":{"resultType":"matrix","result":[]}})";
const std::string load_series =
    R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"node_load1"},"values":[[998,"1.5"]]}]}})";

bool asks_time(const std::string& request) { return request.find("query=time%28%29") != std::string::npos; }

/// A Prometheus that is well until it is asked for samples.
FakeServer::Answer well_but(FakeReply reply) {
  return [reply](const std::string& request) { return asks_time(request) ? http_reply(200, time_answer) : reply; };
}

SourceReadings read_from(const std::string& url, Nanoseconds timeout = 20s, HttpSettings http = {},
                         std::vector<OwnMetric> metrics = {}) {
  PrometheusSettings settings;
  settings.address = {url, http};
  settings.timeout = timeout;
  settings.metrics = std::move(metrics);
  PrometheusLoad source(settings);
  source.begin();
  return source.read();
}

/// The one trouble of a reading that gave nothing else, without the address before it.
std::string trouble_of(const FakeServer& server, Nanoseconds timeout = 20s, HttpSettings http = {}) {
  const SourceReadings told = read_from(server.url(), timeout, http);
  EXPECT_TRUE(told.readings.empty());
  EXPECT_EQ(told.troubles.size(), 1u);
  const std::string sentence = told.troubles.empty() ? "" : told.troubles.front().sentence;
  EXPECT_EQ(sentence.rfind(server.url() + ": ", 0), 0u) << sentence;
  return sentence.substr(std::min(sentence.size(), server.url().size() + 2));
}

TEST(PrometheusFaults, a_server_that_is_well_is_read) {
  const FakeServer server(well_but(http_reply(200, load_series)));
  const SourceReadings told = read_from(server.url());
  const auto load =
      std::find_if(told.readings.begin(), told.readings.end(), [](auto& one) { return one.name == "load_average"; });
  ASSERT_NE(load, told.readings.end());
  EXPECT_EQ(load->value, 1.5);
  EXPECT_EQ(load->age, Nanoseconds(2s));
}

TEST(PrometheusFaults, down) {
  std::string url;
  {
    const FakeServer gone(well_but({}));
    url = gone.url();
  }
  const SourceReadings told = read_from(url);
  ASSERT_EQ(told.troubles.size(), 1u);
  EXPECT_EQ(told.troubles.front().sentence.rfind(url + ": nobody answers there", 0), 0u)
      << told.troubles.front().sentence;
  EXPECT_EQ(read_from("http://no-such-host.invalid:9090")
                .troubles.front()
                .sentence.rfind("http://no-such-host.invalid:9090: its name is not known", 0),
            0u);
}

// A server that is slow costs no more than the timeout, however it is slow. What it would take otherwise is minutes.
TEST(PrometheusFaults, slow) {
  const Nanoseconds begin = steady_now();
  const FakeServer silent([](const std::string&) { return FakeReply{.bytes = "", .hangs = true}; });
  EXPECT_EQ(trouble_of(silent, 150ms), "did not answer within 150 ms");
  const FakeServer late(well_but({.bytes = "", .hangs = true}));
  EXPECT_NE(trouble_of(late, 150ms).find("did not answer within"), std::string::npos);
  FakeReply dripping = http_reply(200, std::string(100'000, ' '));
  dripping.drips = true;
  const FakeServer drip(well_but(dripping));
  EXPECT_NE(trouble_of(drip, 150ms).find("did not answer within"), std::string::npos);
  EXPECT_LT(steady_now() - begin, Nanoseconds(60s));
}

TEST(PrometheusFaults, statuses) {
  const std::pair<FakeReply, const char*> cases[] = {
      {http_reply(400, R"({"status":"error","errorType":"bad_data","error":"no such function"})"),
       "the query is refused (bad_data): no such function"},
      {http_reply(422, R"({"status":"error","errorType":"execution","error":"too many samples"})"),
       "the query is refused (execution): too many samples"},
      {http_reply(400, "nope"), "fails (400)"},
      {http_reply(401, "who?"), "wants to know who asks (401); give authorization or basic_auth"},
      {http_reply(403, "no"), "does not let this user ask (403)"},
      {http_reply(404, "gone"), "has no /api/v1 (404); is this Prometheus, and does it have a path before it?"},
      {http_reply(500, "oops"), "fails (500)"},
      {http_reply(503, "Service Unavailable"), "has no answer now (503): it is starting, stopping or overloaded"},
      {http_reply(302, "", "Location: http://elsewhere/\r\n"),
       "sends elsewhere (302); write the address that it leads to"},
  };
  for (const auto& one : cases) {
    const FakeServer server(well_but(one.first));
    EXPECT_EQ(trouble_of(server), one.second);
  }
}

TEST(PrometheusFaults, wrong_content) {
  const std::pair<FakeReply, const char*> cases[] = {
      {http_reply(200, "<!DOCTYPE html><title>Welcome</title>"), "what answers is not Prometheus: "},
      {http_reply(200, ""), "what answers is not Prometheus: "},
      {http_reply(200, load_series.substr(0, 90)), "what answers is not Prometheus: "},
      {http_reply(200, std::string(50'000, '[')), "what answers is not Prometheus: "},
      {http_reply(200, R"({"status":"success","data":{"resultType":"vector","result":[]}})"),
       "what answers is not Prometheus: it gives no samples over time"},
      {http_reply(200, R"({"status":"success","data":{"resultType":"string","result":[1,"x"]}})"),
       "the query gives a string, where series of numbers are needed"},
      {{"SSH-2.0-OpenSSH_9.2\r\n"}, "there is no HTTP behind this address ("},
      {{""}, "closed the connection without an answer"},
      {{"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"status\""}, "broke off its answer ("},
  };
  for (const auto& one : cases) {
    const FakeServer server(well_but(one.first));
    const std::string trouble = trouble_of(server);
    EXPECT_EQ(trouble.rfind(one.second, 0), 0u) << trouble;
    EXPECT_EQ(trouble.find('\n'), std::string::npos) << trouble;
  }
  const FakeServer timeless([](const std::string&) { return http_reply(200, no_series); });
  EXPECT_EQ(trouble_of(timeless), "what answers is not Prometheus: it does not tell its time");
}

TEST(PrometheusFaults, a_huge_answer_is_left_where_it_is) {
  HttpSettings http;
  http.most_bytes = 100'000;
  const FakeServer server(well_but(http_reply(200, std::string(3'000'000, ' ') + load_series)));
  EXPECT_EQ(trouble_of(server, 20s, http), "answers with more than 97.7 KiB; ask for less, or raise max_bytes");
}

TEST(PrometheusFaults, values_that_are_none_leave_the_others) {
  const std::string mixed =
      R"({"status":"success","data":{"resultType":"matrix","result":[
          {"metric":{"__name__":"node_load1"},"values":[[998,"NaN"]]},
          {"metric":{"__name__":"node_procs_running"},"values":[[998,"3"]]},
          {"metric":{"__name__":"node_memory_MemAvailable_bytes"},"values":[[900,"4096"]]}]}})";
  const FakeServer server(well_but(http_reply(200, mixed)));
  const LoadSnapshot snapshot{{}, read_from(server.url()).readings, {}};
  EXPECT_EQ(live_value(snapshot, "runnable_threads"), 3);
  EXPECT_EQ(live_value(snapshot, "load_average"), std::nullopt);
  EXPECT_EQ(live_value(snapshot, "memory_available_bytes"), std::nullopt) << "100 s old";
}

TEST(PrometheusFaults, a_query_of_the_users_own_that_fails_leaves_the_others) {
  const FakeServer server([](const std::string& request) {
    if (asks_time(request)) return http_reply(200, time_answer);
    if (request.find("query_range") == std::string::npos) return http_reply(200, load_series);
    return request.find("query=good") != std::string::npos
               ? http_reply(
                     200,
                     R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[999,"7"]]}]}})")
               : http_reply(400, R"({"status":"error","errorType":"bad_data","error":"parse error"})");
  });
  const auto told = read_from(server.url(), 20s, {}, {{"queue", "good", "requests"}, {"broken", "((", ""}});
  const LoadSnapshot snapshot{{}, told.readings, {}};
  EXPECT_EQ(live_value(snapshot, "load_average"), 1.5);
  EXPECT_EQ(live_value(snapshot, "queue"), 7);
  EXPECT_NE(told.readings.back().trouble.find("the query is refused (bad_data): parse error"), std::string::npos);
}

TEST(PrometheusFaults, says_who_asks_and_never_repeats_it) {
  HttpSettings http;
  http.authorization = "Bearer s3cret";
  const FakeServer server(well_but(http_reply(503, "")));
  EXPECT_EQ(trouble_of(server, 20s, http).find("s3cret"), std::string::npos);
  EXPECT_NE(server.requests().front().find("Authorization: Bearer s3cret\r\n"), std::string::npos);
  HttpSettings basic;
  basic.username = "ada", basic.password = "love";
  const FakeServer other(well_but(http_reply(401, "")));
  trouble_of(other, 20s, basic);
  EXPECT_NE(other.requests().front().find("Authorization: Basic YWRhOmxvdmU=\r\n"), std::string::npos);
}

TEST(HttpClient, encodes_what_an_address_may_not_hold) {
  EXPECT_EQ(url_encoded("rate(a{b=\"c d\"}[1m])+~"), "rate%28a%7Bb%3D%22c%20d%22%7D%5B1m%5D%29%2B~");
  EXPECT_THROW(HttpClient({}).get("file:///etc/passwd", 1s), Error);
  EXPECT_THROW(HttpClient({}).get("nonsense", 1s), Error);
}

}  // namespace
}  // namespace takt
