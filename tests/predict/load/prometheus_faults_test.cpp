// Whatever a server does: one sentence that names it, within the time that was granted.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "fake_server.h"
#include "predict/prometheus/load.h"
#include "predict/prometheus/metrics.h"
#include "refused.h"

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
  EXPECT_EQ(told.troubles.front().sentence.rfind(url + ": cannot connect", 0), 0u) << told.troubles.front().sentence;
  EXPECT_EQ(read_from("http://no-such-host.invalid:9090")
                .troubles.front()
                .sentence.rfind("http://no-such-host.invalid:9090: its host name cannot be resolved", 0),
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
      {http_reply(401, "who?"), "requires authentication (401); give authorization or basic_auth"},
      {http_reply(403, "no"), "does not allow this user to query it (403)"},
      {http_reply(404, "gone"), "has no /api/v1 (404); is this Prometheus, and does it have a path before it?"},
      {http_reply(500, "oops"), "fails (500)"},
      {http_reply(503, "Service Unavailable"), "is unavailable (503): it is starting, stopping or overloaded"},
      {http_reply(302, "", "Location: http://elsewhere/\r\n"),
       "redirects (302); write the address that it redirects to"},
      {http_reply(300, ""), "redirects (300); write the address that it redirects to"},
      {http_reply(399, ""), "redirects (399); write the address that it redirects to"},
      {http_reply(299, ""), "fails (299)"},
      {http_reply(422, "nope"), "fails (422)"},
      {http_reply(500, R"({"status":"error","errorType":"bad_data","error":"x"})"), "fails (500)"},
  };
  for (const auto& one : cases) {
    const FakeServer server(well_but(one.first));
    EXPECT_EQ(trouble_of(server), one.second);
  }
}

TEST(PrometheusFaults, wrong_content) {
  const std::pair<FakeReply, const char*> cases[] = {
      {http_reply(200, "<!DOCTYPE html><title>Welcome</title>"), "the server is not Prometheus: "},
      {http_reply(200, ""), "the server is not Prometheus: "},
      {http_reply(200, load_series.substr(0, 90)), "the server is not Prometheus: "},
      {http_reply(200, std::string(50'000, '[')), "the server is not Prometheus: "},
      {http_reply(200, R"({"status":"success","data":{"resultType":"vector","result":[]}})"),
       "the server is not Prometheus: it returns no samples over time"},
      {http_reply(200, R"({"status":"success","data":{"resultType":"string","result":[1,"x"]}})"),
       "the query returns a string, where series of numbers are needed"},
      {{"SSH-2.0-OpenSSH_9.2\r\n"}, "the server at this address does not speak HTTP ("},
      {{""}, "closed the connection without an answer"},
      {{"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"status\""}, "closed the connection during its answer ("},
  };
  for (const auto& one : cases) {
    const FakeServer server(well_but(one.first));
    const std::string trouble = trouble_of(server);
    EXPECT_EQ(trouble.rfind(one.second, 0), 0u) << trouble;
    EXPECT_EQ(trouble.find('\n'), std::string::npos) << trouble;
  }
  const FakeServer timeless([](const std::string&) { return http_reply(200, no_series); });
  EXPECT_EQ(trouble_of(timeless), "the server is not Prometheus: it does not report its time");
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

/// The first lines of what a server was asked.
std::vector<std::string> asked_of(const FakeServer& server) {
  std::vector<std::string> lines;
  for (const std::string& request : server.requests()) lines.push_back(request.substr(0, request.find('\r')));
  return lines;
}

TEST(PrometheusLoad, asks_for_the_time_the_samples_and_a_user_s_own_figures) {
  const FakeServer server(
      [](const std::string& request) { return http_reply(200, asks_time(request) ? time_answer : no_series); });
  PrometheusSettings settings;
  settings.address.url = server.url() + "/path//";
  settings.timeout = 20s, settings.lookback = 90s;
  settings.match = {{"instance", "a b"}};
  settings.metrics = {{"queue", "sum(q)", "requests"}};
  PrometheusLoad source(settings);
  EXPECT_EQ(source.name(), "prometheus");
  source.read();
  const std::string samples =
      "GET /path/api/v1/query?query=" + url_encoded(metrics_query(90, settings.match)) + " HTTP/1.1";
  EXPECT_EQ(asked_of(server),
            (std::vector<std::string>{"GET /path/api/v1/query?query=time%28%29 HTTP/1.1", samples,
                                      "GET /path/api/v1/query_range?query=sum%28q%29&start=999.000&end=1000.000&step="
                                      "1.000 HTTP/1.1"}));
  source.begin();
  source.read();
  ASSERT_EQ(server.requests().size(), 6u);
  EXPECT_EQ(asked_of(server)[4], samples) << "a moment is shorter than what is looked back";
}

TEST(PrometheusLoad, what_the_server_warns_of_is_told) {
  const FakeServer server(well_but(http_reply(
      200, R"({"status":"success","warnings":["too many","too old"],"data":{"resultType":"matrix","result":[]}})")));
  const SourceReadings told = read_from(server.url());
  ASSERT_EQ(told.troubles.size(), 4u);
  EXPECT_EQ(told.troubles[2].sentence, "it warns: too many");
  EXPECT_EQ(told.troubles[3].sentence, "it warns: too old");
  for (const SourceTrouble& trouble : told.troubles) EXPECT_EQ(trouble.source, "prometheus");
}

TEST(PrometheusLoad, is_patient_for_two_seconds_and_looks_back_for_a_minute_unless_said_otherwise) {
  const PrometheusSettings settings;
  EXPECT_EQ(settings.address.url, "http://127.0.0.1:9090");
  EXPECT_EQ(settings.timeout, 2s);
  EXPECT_EQ(settings.stale_after, 1min);
  EXPECT_EQ(settings.lookback, 1min);
  EXPECT_EQ(settings.address.http.most_bytes, 16'777'216u);
}

TEST(PrometheusLoad, what_is_older_than_stale_is_no_present_value) {
  const FakeServer server(well_but(http_reply(200, load_series)));
  const auto trouble_after = [&](Nanoseconds stale) {
    PrometheusSettings settings;
    settings.address.url = server.url(), settings.timeout = 20s, settings.stale_after = stale;
    PrometheusLoad source(settings);
    for (const LoadReading& one : source.read().readings)
      if (one.name == "load_average") return one.trouble;
    return std::string("not told");
  };
  EXPECT_EQ(trouble_after(2s), "");
  EXPECT_EQ(trouble_after(1999ms), "stale: its last sample is 2.00 s old");
}

TEST(PromqlText, has_its_quotes_backslashes_and_line_ends_escaped) {
  EXPECT_EQ(promql_text("a\"b\\c\nd"), R"("a\"b\\c\nd")");
  EXPECT_EQ(promql_text(""), "\"\"");
}

/// What a server is refused with; "accepted" where it is not.
std::string http_refusal(const std::string& address, std::size_t most = 1 << 20) {
  HttpSettings settings;
  settings.most_bytes = most;
  try {
    HttpClient(settings).get(address, 20s);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    return error.what();
  }
}

TEST(HttpClient, takes_as_much_as_it_may_and_no_byte_more) {
  const FakeServer server([](const std::string&) { return http_reply(200, std::string(2048, 'x')); });
  EXPECT_EQ(http_refusal(server.url(), 2048), "accepted");
  EXPECT_EQ(http_refusal(server.url(), 2047), "answers with more than 2.00 KiB; ask for less, or raise max_bytes");
}

TEST(HttpClient, addresses_that_are_none_are_told) {
  EXPECT_EQ(http_refusal("http://").rfind("the address is not valid; write http://HOST:PORT", 0), 0u)
      << http_refusal("http://");
  EXPECT_EQ(http_refusal("file:///etc/passwd").rfind("the server at this address does not speak HTTP (", 0), 0u)
      << http_refusal("file:///etc/passwd");
  EXPECT_EQ(http_refusal("ftp://127.0.0.1").rfind("the server at this address does not speak HTTP (", 0), 0u);
}

TEST(HttpClient, certificates_and_keys_that_are_not_there_are_told) {
  HttpSettings settings;
  settings.ca_file = "/there/is/no/such.pem";
  try {
    HttpClient(settings).get("https://127.0.0.1:1", 20s);
    ADD_FAILURE();
  } catch (const Error& error) {
    const std::string told = error.what();
    // Some builds of libcurl look for the file first, others connect first.
    EXPECT_TRUE(told.starts_with("a certificate or key file cannot be used (") || told.starts_with("cannot connect ("))
        << told;
  }
}

TEST(HttpClient, letters_digits_and_four_signs_stay_as_they_are_in_an_address) {
  EXPECT_EQ(url_encoded("azAZ09-._~"), "azAZ09-._~");
  EXPECT_EQ(url_encoded("`{@[/:+,!\x7f\xc3"), "%60%7B%40%5B%2F%3A%2B%2C%21%7F%C3");
}

TEST(HttpClient, encodes_what_an_address_may_not_hold) {
  EXPECT_EQ(url_encoded("rate(a{b=\"c d\"}[1m])+~"), "rate%28a%7Bb%3D%22c%20d%22%7D%5B1m%5D%29%2B~");
  EXPECT_TRUE(refused_with([&] {
                HttpClient({}).get("file:///etc/passwd", 1s);
              }).starts_with("the server at this address does not speak HTTP ("));
  EXPECT_TRUE(
      refused_with([&] { HttpClient({}).get("nonsense", 1s); }).starts_with("its host name cannot be resolved ("));
}

}  // namespace
}  // namespace takt
