#include "predict/sources/config.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "predict/sources/sources.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

LoadConfig parsed(const std::string& load) { return parse_load_config_file("load:\n" + load, "box.yaml"); }

std::string config_refusal(const std::string& load) {
  try {
    parsed(load);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(LoadConfig, everything_is_read) {
  const TestFolder folder;
  folder.write("token", "s3cret\n");
  const LoadConfig config = parsed(
      "  sources: [prometheus, host]\n"
      "  window: 500ms\n"
      "  root: /host\n"
      "  processors: [0, 2]\n"
      "  nvml: {library: lib.so, timeout: 3s}\n"
      "  probe: {time: 50ms, cores: [1]}\n"
      "  gpu_probe: {time: 20ms, device: 1, library: libcuda.so, timeout: 4s}\n"
      "  prometheus:\n"
      "    url: https://metrics:9090/prom\n"
      "    timeout: 3s\n"
      "    stale_after: 20s\n"
      "    lookback: 2min\n"
      "    max_bytes: 5000\n"
      "    match: {instance: 'box:9100', job: node}\n"
      "    authorization: {credentials_file: " +
      (folder / "token").string() +
      "}\n"
      "    tls_config: {ca_file: ca.pem, cert_file: c.pem, key_file: k.pem, insecure_skip_verify: true}\n"
      "    metrics: [{name: queue, query: 'sum(q)', unit: requests}]\n");
  EXPECT_EQ(config.sources, (std::vector<std::string>{"prometheus", "host"}));
  EXPECT_EQ(config.window, 500ms);
  EXPECT_EQ(config.root, "/host");
  EXPECT_EQ(config.probe.root, "/host");
  EXPECT_EQ(config.processors, (std::vector<int>{0, 2}));
  EXPECT_EQ(config.nvml_library, "lib.so");
  EXPECT_EQ(config.nvml_timeout, 3s);
  EXPECT_EQ(config.probe.time, 50ms);
  EXPECT_EQ(config.probe.cores, std::vector<int>{1});
  EXPECT_EQ(config.gpu_probe.time, 20ms);
  EXPECT_EQ(config.gpu_probe.device, 1);
  EXPECT_EQ(config.gpu_probe.library, "libcuda.so");
  EXPECT_EQ(config.gpu_probe_timeout, 4s);
  const PrometheusSettings& prometheus = config.prometheus;
  EXPECT_EQ(prometheus.address.url, "https://metrics:9090/prom");
  EXPECT_EQ(prometheus.timeout, 3s);
  EXPECT_EQ(prometheus.stale_after, 20s);
  EXPECT_EQ(prometheus.lookback, 2min);
  EXPECT_EQ(prometheus.address.http.most_bytes, 5000u);
  EXPECT_EQ(prometheus.match.at("instance"), "box:9100");
  EXPECT_EQ(prometheus.address.http.authorization, "Bearer s3cret");
  EXPECT_EQ(prometheus.address.http.ca_file, "ca.pem");
  EXPECT_TRUE(prometheus.address.http.insecure_skip_verify);
  ASSERT_EQ(prometheus.metrics.size(), 1u);
  EXPECT_EQ(prometheus.metrics[0].query, "sum(q)");
}

TEST(LoadConfig, what_it_does_not_say_is_as_the_command_has_it) {
  LoadConfig otherwise;
  otherwise.window = 250ms, otherwise.probe.time = 1s;
  const LoadConfig config = parse_load_config_file("load: {probe: {cores: [0]}}\n", "x.yaml", otherwise);
  EXPECT_EQ(config.window, 250ms);
  EXPECT_EQ(config.probe.time, 1s);
  EXPECT_EQ(parse_load_config_file("load: {probe: {time: 9ms}}\n", "x.yaml", otherwise).probe.time, 9ms);
}

TEST(LoadConfig, little_is_enough) {
  EXPECT_EQ(parsed("  {}\n").sources, (std::vector<std::string>{"host", "nvml", "probe"}));
  EXPECT_EQ(parsed("  prometheus: {}\n").sources.front(), "prometheus") << "who says where it is wants it asked";
  EXPECT_EQ(parse_load_config_file("zoo: {a: 1}\nload: {window: 2s}\n", "x.yaml").window, 2s)
      << "other keys are others'";
}

TEST(LoadConfig, mistakes_are_named_with_line_and_key) {
  const auto of_file = [](const std::string& text) {
    try {
      parse_load_config_file(text, "box.yaml");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(of_file("load: [").rfind("box.yaml:", 0), 0u) << of_file("load: [");
  EXPECT_EQ(of_file("zoo: {}\n").rfind("box.yaml:1: load: is missing", 0), 0u) << of_file("zoo: {}\n");
  EXPECT_EQ(config_refusal("  sources: [hots]\n"),
            "box.yaml:2: load.sources: 'hots' is not known; did you mean 'host'?");
  EXPECT_EQ(config_refusal("  sources: [host, host]\n"), "box.yaml:2: load.sources: names 'host' twice");
  EXPECT_EQ(config_refusal("  sources: []\n"), "box.yaml:2: load.sources: is no list; write [prometheus, host, probe]");
  EXPECT_EQ(config_refusal("  windw: 1s\n"), "box.yaml:2: load.windw: unknown key; did you mean 'window'?");
  EXPECT_EQ(config_refusal("  window: 5\n").rfind("box.yaml:2: load.window: ", 0), 0u);
  EXPECT_EQ(config_refusal("  processors: [a]\n"),
            "box.yaml:2: load.processors: holds something that is no number of a processor");
  const auto prometheus = [](const std::string& text) {
    return config_refusal("  prometheus: {" + text + "}\n").substr(11);
  };
  const std::string at = " load.prometheus.";
  EXPECT_EQ(prometheus("url: 'localhost:9090'"), at + "url: is no address; write http://HOST:PORT");
  EXPECT_EQ(prometheus("url: 'http://'"), at + "url: names no host; write http://HOST:PORT");
  EXPECT_EQ(prometheus("url: 'http://a:b@c'"), at + "url: holds a user's name; give it with basic_auth");
  EXPECT_EQ(prometheus("url: 'http://a/x?y=1'"), at + "url: holds more than an address; leave out what follows it");
  EXPECT_EQ(prometheus("authorization: {credentials: a, credentials_file: b}"),
            at + "authorization.credentials_file: is given beside 'credentials'; keep one");
  EXPECT_EQ(prometheus("authorization: {credentials: \"a\\r\\nHost: x\"}"),
            at + "authorization.credentials: has a line end or another control character");
  EXPECT_EQ(prometheus("authorization: {credentials: a}, basic_auth: {username: u}"),
            at + "basic_auth: is given beside authorization; keep one");
  EXPECT_EQ(prometheus("authorization: {credentials_file: /missing}").rfind(at + "authorization.credentials_file: ", 0),
            0u);
  EXPECT_EQ(prometheus("match: {'a-b': c}"), at + "match.a-b: is no label's name");
  EXPECT_EQ(prometheus("metrics: [{name: cpu_busy_share, query: x}]"),
            at + "metrics: 'cpu_busy_share' has a meaning already; choose another name");
  EXPECT_EQ(prometheus("metrics: [{name: x}]"), at + "metrics: lacks a name or a query");
  try {
    parse_load_config_file("laod: {}\n", "box.yaml");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "box.yaml:1: load: is missing; write load: {sources: [host, probe]}");
  }
}

TEST(LoadSources, what_can_be_had_here_is_listed) {
  const auto states = load_source_states();
  ASSERT_EQ(states.size(), 5u);
  EXPECT_EQ(states[0].name, "host");
  EXPECT_FALSE(states[0].reason) << *states[0].reason;
  EXPECT_FALSE(states[3].reason);
  for (const SourceState& state : states) {
    EXPECT_FALSE(state.description.empty());
    EXPECT_NE(state.reason, "") << state.name;
  }
}

TEST(LoadSources, one_that_cannot_be_had_says_why_and_the_others_work) {
  LoadConfig config;
  config.sources = {"nvml", "host"};
  config.nvml_library = "/missing/lib.so";
  const LoadSnapshot snapshot = take_snapshot(make_load_sources(config), 30ms);
  EXPECT_TRUE(live_value(snapshot, "cpu_busy_share"));
  ASSERT_EQ(snapshot.troubles.size(), 1u);
  EXPECT_EQ(snapshot.troubles[0].source, "nvml");
  config.sources = {"probe"};
  config.probe.cores = {8000};
  EXPECT_THROW(make_load_sources(config), Error) << "asked wrongly";
}

}  // namespace
}  // namespace takt
