#include "predict/sources/config.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "predict/sources/sources.h"
#include "refused.h"
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

TEST(LoadConfig, a_server_that_is_asked_about_an_instance_is_not_replaced_by_this_machine) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(parsed("  prometheus: {match: {instance: 'box:9100'}}\n").sources, Names{"prometheus"});
  EXPECT_EQ(parsed("  sources: [prometheus, host]\n  prometheus: {match: {instance: box}}\n").sources,
            (Names{"prometheus", "host"}));
  EXPECT_EQ(parsed("  prometheus: {match: {job: takt}}\n").sources, (Names{"prometheus", "host", "nvml", "probe"}));
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

TEST(LoadConfig, without_a_word_is_this) {
  const LoadConfig config;
  EXPECT_EQ(config.sources, (std::vector<std::string>{"host", "nvml", "probe"}));
  EXPECT_EQ(config.window, 1s);
  EXPECT_EQ(config.root, "/");
  EXPECT_EQ(config.processors, std::vector<int>());
  EXPECT_EQ(config.probe.time, 200ms);
  EXPECT_EQ(config.probe.root, "/");
  EXPECT_EQ(config.nvml_library, "");
  EXPECT_EQ(config.nvml_timeout, 2s);
  EXPECT_EQ(config.gpu_probe.time, 50ms);
  EXPECT_EQ(config.gpu_probe.device, 0);
  EXPECT_EQ(config.gpu_probe_timeout, 10s);
  EXPECT_EQ(load_source_names(), (std::vector<std::string>{"host", "prometheus", "nvml", "probe", "gpu_probe"}));
}

/// "box.yaml:2: load.KEY: WHAT" as WHAT.
std::string what_is_wrong(const std::string& load) {
  const std::string told = config_refusal(load);
  const auto key = told.find(": load.");
  return key == std::string::npos ? told : told.substr(told.find(": ", key + 2) + 2);
}

TEST(LoadConfig, times_are_taken_up_to_their_borders) {
  struct Times {
    const char *before, *after;
    const char *least, *below, *most, *above, *range;
  };
  for (const Times& one :
       {Times{"window: ", "", "1ms", "999us", "1h", "3600001ms", "1.00 ms to 3600 s"},
        {"probe: {time: ", "}", "1ms", "999us", "10s", "10001ms", "1.00 ms to 10.0 s"},
        {"nvml: {timeout: ", "}", "1ms", "999us", "10min", "600001ms", "1.00 ms to 600 s"},
        {"gpu_probe: {time: ", "}", "1ms", "999us", "10s", "10001ms", "1.00 ms to 10.0 s"},
        {"gpu_probe: {timeout: ", "}", "1ms", "999us", "10min", "600001ms", "1.00 ms to 600 s"},
        {"prometheus: {timeout: ", "}", "1ms", "999us", "10min", "600001ms", "1.00 ms to 600 s"},
        {"prometheus: {stale_after: ", "}", "1ms", "999us", "24h", "86400001ms", "1.00 ms to 86400 s"},
        {"prometheus: {lookback: ", "}", "1s", "999ms", "24h", "86400001ms", "1.00 s to 86400 s"}}) {
    const auto told = [&](const char* time) {
      return what_is_wrong("  " + (one.before + (time + std::string(one.after))) + "\n");
    };
    EXPECT_EQ(told(one.least), "accepted") << one.before;
    EXPECT_EQ(told(one.most), "accepted") << one.before;
    for (const char* beyond : {one.below, one.above})
      EXPECT_TRUE(told(beyond).ends_with(std::string(" is out of range; use ") + one.range))
          << one.before << told(beyond);
  }
}

TEST(LoadConfig, numbers_are_taken_up_to_their_borders) {
  EXPECT_EQ(parsed("  prometheus: {max_bytes: 1024}\n").prometheus.address.http.most_bytes, 1024u);
  EXPECT_EQ(parsed("  prometheus: {max_bytes: 1073741824}\n").prometheus.address.http.most_bytes, 1'073'741'824u);
  EXPECT_EQ(what_is_wrong("  prometheus: {max_bytes: 1023}\n"), "1023 is out of range; use 1024 to 1073741824");
  EXPECT_EQ(what_is_wrong("  prometheus: {max_bytes: 1073741825}\n"),
            "1073741825 is out of range; use 1024 to 1073741824");
  EXPECT_EQ(parsed("  gpu_probe: {device: 1023}\n").gpu_probe.device, 1023);
  EXPECT_EQ(what_is_wrong("  gpu_probe: {device: 1024}\n"), "1024 is out of range; use 0 to 1023");
  EXPECT_EQ(what_is_wrong("  gpu_probe: {device: -1}\n"), "-1 is out of range; use 0 to 1023");
  EXPECT_EQ(parsed("  processors: [0, 8191]\n").processors, (std::vector<int>{0, 8191}));
  for (const char* number : {"8192", "-1", "x", "[1]"})
    EXPECT_EQ(what_is_wrong("  processors: [" + std::string(number) + "]\n"), "has an entry that is not a CPU number");
  EXPECT_EQ(what_is_wrong("  processors: 1\n"), "is not a list; write [0, 1]");
  EXPECT_EQ(what_is_wrong("  probe: {cores: 1}\n"), "is not a list; write [0, 1]");
}

TEST(LoadConfig, who_asks_is_read_to_the_last_word) {
  const TestFolder folder;
  folder.write("password", "  love\n");
  const auto http = [](const std::string& text) {
    return parsed("  prometheus: {" + text + "}\n").prometheus.address.http;
  };
  const HttpSettings basic = http("basic_auth: {username: ada, password_file: " + (folder / "password").string() + "}");
  EXPECT_EQ(basic.username, "ada");
  EXPECT_EQ(basic.password, "love");
  EXPECT_EQ(basic.authorization, "");
  EXPECT_EQ(http("authorization: {type: Basic, credentials: abc}").authorization, "Basic abc");
  EXPECT_EQ(http("authorization: {credentials: abc}").authorization, "Bearer abc");
  const HttpSettings tls = http("tls_config: {ca_file: a, cert_file: b, key_file: c}");
  EXPECT_EQ(tls.ca_file, "a");
  EXPECT_EQ(tls.cert_file, "b");
  EXPECT_EQ(tls.key_file, "c");
  EXPECT_FALSE(tls.insecure_skip_verify);
  const auto wrong = [](const std::string& text) { return what_is_wrong("  prometheus: {" + text + "}\n"); };
  EXPECT_EQ(wrong("basic_auth: {username: 'a:b', password: c}"), "is missing or has a colon; write a user name");
  EXPECT_EQ(wrong("basic_auth: {password: c}"), "is missing or has a colon; write a user name");
  EXPECT_EQ(wrong("authorization: {type: \"a\\x7f\", credentials: b}"),
            "has a line break or another control character");
  EXPECT_EQ(wrong("basic_auth: {username: \"a\\x1f\"}"), "has a line break or another control character");
  EXPECT_EQ(http("basic_auth: {username: 'a b'}").username, "a b") << "a blank is none";
}

TEST(LoadConfig, addresses_labels_and_figures_are_read_as_they_are_meant) {
  const auto url = [](const std::string& text) {
    return parsed("  prometheus: {url: '" + text + "'}\n").prometheus.address.url;
  };
  EXPECT_EQ(url("http://a"), "http://a");
  EXPECT_EQ(url("http://a/b@c"), "http://a/b@c") << "a path may hold it";
  const auto wrong = [](const std::string& text) { return what_is_wrong("  prometheus: {" + text + "}\n"); };
  for (const char* bad : {"http://a#b", "http://a b", "http://a?b", "http://a\"b"})
    EXPECT_EQ(wrong("url: '" + std::string(bad) + "'"), "contains more than an address; remove what follows it") << bad;
  EXPECT_EQ(wrong("url: 'http:///path'"), "has no host; write http://HOST:PORT");
  EXPECT_EQ(wrong("url: 'ftp://a'"), "is not an address; write http://HOST:PORT");
  const auto labels = parsed("  prometheus: {match: {azAZ09_: x, _a: y}}\n").prometheus.match;
  EXPECT_EQ(labels, (std::map<std::string, std::string>{{"azAZ09_", "x"}, {"_a", "y"}}));
  for (const char* bad : {"9a", "0a", "a b", "a`", "a{", "A@", "A[", "a/", "a:", "''"})
    EXPECT_EQ(wrong("match: {\"" + std::string(bad == std::string("''") ? "" : bad) + "\": x}"), "is not a label name")
        << bad;
  const auto metrics =
      parsed("  prometheus: {metrics: [{name: a, query: b, unit: c}, {name: d, query: e}]}\n").prometheus.metrics;
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].name + metrics[0].query + metrics[0].unit + metrics[1].name + metrics[1].query + metrics[1].unit,
            "abcde");
  EXPECT_EQ(wrong("metrics: [{name: a, query: b}, {name: a, query: c}]"), "'a' is already in use; choose another name");
  EXPECT_EQ(wrong("metrics: [{query: b}]"), "has no name or no query");
  EXPECT_EQ(wrong("metrics: {}"), "is not a list; write - {name: NAME, query: QUERY, unit: UNIT}");
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
  EXPECT_EQ(config_refusal("  sources: []\n"),
            "box.yaml:2: load.sources: is not a list; write [prometheus, host, probe]");
  EXPECT_EQ(config_refusal("  windw: 1s\n"), "box.yaml:2: load.windw: unknown key; did you mean 'window'?");
  EXPECT_EQ(config_refusal("  window: 5\n").rfind("box.yaml:2: load.window: ", 0), 0u);
  EXPECT_EQ(config_refusal("  processors: [a]\n"),
            "box.yaml:2: load.processors: has an entry that is not a CPU number");
  const auto prometheus = [](const std::string& text) {
    return config_refusal("  prometheus: {" + text + "}\n").substr(11);
  };
  const std::string at = " load.prometheus.";
  EXPECT_EQ(prometheus("url: 'localhost:9090'"), at + "url: is not an address; write http://HOST:PORT");
  EXPECT_EQ(prometheus("url: 'http://'"), at + "url: has no host; write http://HOST:PORT");
  EXPECT_EQ(prometheus("url: 'http://a:b@c'"), at + "url: contains a user name; give it with basic_auth");
  EXPECT_EQ(prometheus("url: 'http://a/x?y=1'"), at + "url: contains more than an address; remove what follows it");
  EXPECT_EQ(prometheus("authorization: {credentials: a, credentials_file: b}"),
            at + "authorization.credentials_file: is given together with 'credentials'; keep one");
  EXPECT_EQ(prometheus("authorization: {credentials: \"a\\r\\nHost: x\"}"),
            at + "authorization.credentials: has a line break or another control character");
  EXPECT_EQ(prometheus("authorization: {credentials: a}, basic_auth: {username: u}"),
            at + "basic_auth: is given together with authorization; keep one");
  EXPECT_EQ(prometheus("authorization: {credentials_file: /missing}").rfind(at + "authorization.credentials_file: ", 0),
            0u);
  EXPECT_EQ(prometheus("match: {'a-b': c}"), at + "match.a-b: is not a label name");
  EXPECT_EQ(prometheus("metrics: [{name: cpu_busy_share, query: x}]"),
            at + "metrics: 'cpu_busy_share' is already in use; choose another name");
  EXPECT_EQ(prometheus("metrics: [{name: x}]"), at + "metrics: has no name or no query");
  try {
    parse_load_config_file("laod: {}\n", "box.yaml");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "box.yaml:1: load: is missing; write load: {sources: [host, probe]}");
  }
}

TEST(LoadSources, are_these) {
  std::string words;
  for (const SourceState& state : load_source_states()) words += state.name + ": " + state.description + "\n";
  EXPECT_EQ(words,
            "host: files of the system (/proc, /sys)\n"
            "prometheus: a Prometheus server, given with 'takt load --config'\n"
            "nvml: the NVIDIA GPU driver\n"
            "probe: a short benchmark on a CPU\n"
            "gpu_probe: a short benchmark on a GPU, through its CUDA driver\n");
  ::setenv("TAKT_CUDA_LIBRARY", "/missing/libcuda.so.1", 1);
  EXPECT_EQ(load_source_states()[4].reason, "no CUDA driver is installed, so takt cannot put load on a GPU")
      << "without the linker's words";
  ::setenv("TAKT_CUDA_LIBRARY", TAKT_FAKE_CUDA, 1);
  EXPECT_EQ(load_source_states()[4].reason, std::nullopt);
  ::unsetenv("TAKT_CUDA_LIBRARY");
}

TEST(LoadSources, are_made_in_the_order_of_the_configuration) {
  LoadConfig config;
  config.sources = {"gpu_probe", "probe", "nvml", "prometheus", "host"};
  config.gpu_probe.library = config.nvml_library = "/missing/lib.so";
  config.probe.time = 1ms;
  std::vector<std::string> names;
  for (const auto& source : make_load_sources(config)) names.emplace_back(source->name());
  EXPECT_EQ(names, config.sources);
}

TEST(LoadSources, a_snapshot_takes_its_window_unless_it_is_stopped) {
  const std::vector<std::unique_ptr<LoadSource>> none;
  const std::atomic<bool> stop{true}, go{false};
  Nanoseconds begin = steady_now();
  EXPECT_TRUE(take_snapshot(none, 120ms).readings.empty());
  EXPECT_GE(steady_now() - begin, 120ms);
  begin = steady_now();
  take_snapshot(none, 120ms, &go);
  EXPECT_GE(steady_now() - begin, 120ms);
  begin = steady_now();
  take_snapshot(none, 1h, &stop);
  EXPECT_LT(steady_now() - begin, 30min);
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
  EXPECT_TRUE(refused_with([&] {
                make_load_sources(config);
              }).starts_with("core 8000: cannot be used by this process; the cores are "))
      << "asked wrongly";
}

}  // namespace
}  // namespace takt
