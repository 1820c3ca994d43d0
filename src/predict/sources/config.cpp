#include "predict/sources/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// Texts that end up in a request's head must stay in their line.
std::string checked_line(const YamlSection& section, const std::string& key, const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; };
  if (std::any_of(text.begin(), text.end(), is_control))
    section.fail(section.at(key), section.full_name(key), "has a line break or another control character");
  return text;
}

/// The text of `key`, or the content of the file that `key`_file names.
std::string secret(const YamlSection& section, const std::string& key) {
  const std::string file_key = key + "_file";
  if (section.has(key) && section.has(file_key))
    section.fail(section.at(file_key), section.full_name(file_key),
                 fmt::format("is given together with '{}'; keep one", key));
  if (!section.has(file_key)) return checked_line(section, key, section.text(key, ""));
  const std::string path = section.text(file_key, "");
  try {
    return checked_line(section, file_key, std::string(trim(read_file(path))));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::bad_input) throw;
    section.fail(section.at(file_key), section.full_name(file_key), error.what());
  }
}

std::string checked_url(const YamlSection& section) {
  const std::string url = section.text("url", PrometheusAddress{}.url);
  const auto scheme = url.find("://");
  const auto fail = [&](const std::string& what) { section.fail(section.at("url"), section.full_name("url"), what); };
  if (!url.starts_with("http://") && !url.starts_with("https://")) fail("is not an address; write http://HOST:PORT");
  const std::string host = url.substr(scheme + 3, url.find('/', scheme + 3) - scheme - 3);
  if (host.empty()) fail("has no host; write http://HOST:PORT");
  if (host.find('@') != std::string::npos) fail("contains a user name; give it with basic_auth");
  if (url.find_first_of("?# \"") != std::string::npos) fail("contains more than an address; remove what follows it");
  return checked_line(section, "url", url);
}

HttpSettings http_settings(const YamlSection& prometheus, const std::string& origin) {
  HttpSettings http;
  http.most_bytes = static_cast<std::size_t>(prometheus.integer("max_bytes", 1024, std::int64_t{1} << 30)
                                                 .value_or(static_cast<std::int64_t>(http.most_bytes)));
  if (prometheus.has("authorization")) {
    const YamlSection section(prometheus.at("authorization"), origin, prometheus.full_name("authorization."),
                              {"type", "credentials", "credentials_file"});
    http.authorization =
        checked_line(section, "type", section.text("type", "Bearer")) + " " + secret(section, "credentials");
  }
  if (prometheus.has("basic_auth")) {
    const YamlSection section(prometheus.at("basic_auth"), origin, prometheus.full_name("basic_auth."),
                              {"username", "password", "password_file"});
    http.username = checked_line(section, "username", section.text("username", ""));
    if (http.username.empty() || http.username.find(':') != std::string::npos)
      section.fail(section.node(), section.full_name("username"), "is missing or has a colon; write a user name");
    http.password = secret(section, "password");
    if (!http.authorization.empty())
      section.fail(section.node(), prometheus.full_name("basic_auth"),
                   "is given together with authorization; keep one");
  }
  if (prometheus.has("tls_config")) {
    const YamlSection section(prometheus.at("tls_config"), origin, prometheus.full_name("tls_config."),
                              {"ca_file", "cert_file", "key_file", "insecure_skip_verify"});
    http.ca_file = section.text("ca_file", "");
    http.cert_file = section.text("cert_file", "");
    http.key_file = section.text("key_file", "");
    http.insecure_skip_verify = section.flag("insecure_skip_verify");
  }
  return http;
}

/// {LABEL: VALUE}, labels as Prometheus allows them.
std::map<std::string, std::string> labels_of(const YamlSection& prometheus, const std::string& origin) {
  std::map<std::string, std::string> labels;
  if (!prometheus.has("match")) return labels;
  const YamlSection section(prometheus.at("match"), origin, prometheus.full_name("match."), {});
  for (const auto& entry : section.node()) {
    const std::string label = entry.first.Scalar();
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (label.empty() || !std::all_of(label.begin(), label.end(), is_word) || (label[0] >= '0' && label[0] <= '9'))
      section.fail(entry.first, section.full_name(label), "is not a label name");
    labels[label] = section.text(label, "");
  }
  return labels;
}

std::vector<OwnMetric> own_metrics(const YamlSection& prometheus, const std::string& origin) {
  std::vector<OwnMetric> metrics;
  if (!prometheus.has("metrics")) return metrics;
  const YAML::Node list = prometheus.at("metrics");
  const std::string key = prometheus.full_name("metrics");
  if (!list.IsSequence()) prometheus.fail(list, key, "is not a list; write - {name: NAME, query: QUERY, unit: UNIT}");
  std::set<std::string> seen;
  for (const auto& one : list) {
    const YamlSection section(one, origin, key + ".", {"name", "query", "unit"});
    OwnMetric metric{section.text("name", ""), section.text("query", ""), section.text("unit", "")};
    if (metric.name.empty() || metric.query.empty()) section.fail(one, key, "has no name or no query");
    if (find_load_feature(metric.name) || !seen.insert(metric.name).second)
      section.fail(one, key, fmt::format("'{}' is already in use; choose another name", printable(metric.name)));
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

PrometheusSettings prometheus_settings(const YamlSection& load, const std::string& origin) {
  PrometheusSettings settings;
  if (!load.has("prometheus")) return settings;
  const YamlSection section(load.at("prometheus"), origin, load.full_name("prometheus."),
                            {"url", "timeout", "stale_after", "lookback", "max_bytes", "match", "metrics",
                             "authorization", "basic_auth", "tls_config"});
  settings.address.url = checked_url(section);
  settings.address.http = http_settings(section, origin);
  settings.timeout = section.duration("timeout", 1ms, 10min).value_or(settings.timeout);
  settings.stale_after = section.duration("stale_after", 1ms, 24h).value_or(settings.stale_after);
  settings.lookback = section.duration("lookback", 1s, 24h).value_or(settings.lookback);
  settings.match = labels_of(section, origin);
  settings.metrics = own_metrics(section, origin);
  return settings;
}

std::vector<int> processor_list(const YamlSection& section, const std::string& key) {
  std::vector<int> processors;
  if (!section.has(key)) return processors;
  const YAML::Node list = section.at(key);
  if (!list.IsSequence()) section.fail(list, section.full_name(key), "is not a list; write [0, 1]");
  for (const auto& one : list) {
    int number = 0;
    if (!one.IsScalar() || !YAML::convert<int>::decode(one, number) || number < 0 || number > 8191)
      section.fail(one, section.full_name(key), "has an entry that is not a CPU number");
    processors.push_back(number);
  }
  return processors;
}

std::vector<std::string> chosen_sources(const YamlSection& load) {
  const YAML::Node list = load.at("sources");
  const std::string key = load.full_name("sources");
  if (!list.IsSequence() || list.size() == 0) load.fail(list, key, "is not a list; write [prometheus, host, probe]");
  std::vector<std::string> names;
  for (const auto& one : list) {
    const std::string name = one.IsScalar() ? one.Scalar() : "?";
    if (std::find(load_source_names().begin(), load_source_names().end(), name) == load_source_names().end())
      load.fail(one, key,
                fmt::format("'{}' is not known; {}", printable(name),
                            suggestion(name, load_source_names(),
                                       fmt::format("use {}", fmt::join(load_source_names(), ", ")))));
    if (std::find(names.begin(), names.end(), name) != names.end())
      load.fail(one, key, fmt::format("names '{}' twice", name));
    names.push_back(name);
  }
  return names;
}

}  // namespace

const std::vector<std::string>& load_source_names() {
  static const std::vector<std::string> names{"host", "prometheus", "nvml", "probe", "gpu_probe"};
  return names;
}

LoadConfig parse_load_config(const YAML::Node& node, const std::string& origin, const LoadConfig& otherwise) {
  const YamlSection section(node, origin, "load.",
                            {"sources", "window", "root", "processors", "probe", "prometheus", "nvml", "gpu_probe"});
  LoadConfig config = otherwise;
  config.window = section.duration("window", 1ms, 1h).value_or(config.window);
  config.root = section.text("root", config.root);
  config.processors = processor_list(section, "processors");
  config.prometheus = prometheus_settings(section, origin);
  config.probe.root = config.root;
  if (section.has("probe")) {
    const YamlSection probe(section.at("probe"), origin, "load.probe.", {"time", "cores"});
    config.probe.time = probe.duration("time", 1ms, 10s).value_or(config.probe.time);
    config.probe.cores = processor_list(probe, "cores");
  }
  if (section.has("nvml")) {
    const YamlSection nvml(section.at("nvml"), origin, "load.nvml.", {"library", "timeout"});
    config.nvml_library = nvml.text("library", "");
    config.nvml_timeout = nvml.duration("timeout", 1ms, 10min).value_or(config.nvml_timeout);
  }
  if (section.has("gpu_probe")) {
    const YamlSection probe(section.at("gpu_probe"), origin, "load.gpu_probe.",
                            {"time", "device", "library", "timeout"});
    config.gpu_probe.time = probe.duration("time", 1ms, 10s).value_or(config.gpu_probe.time);
    config.gpu_probe.device = static_cast<int>(probe.integer("device", 0, 1023).value_or(0));
    config.gpu_probe.library = probe.text("library", "");
    config.gpu_probe_timeout = probe.duration("timeout", 1ms, 10min).value_or(config.gpu_probe_timeout);
  }
  if (section.has("prometheus")) config.sources.insert(config.sources.begin(), "prometheus");
  // A server that is asked about one instance may be asked about another machine, of which nothing here tells anything.
  if (config.prometheus.match.contains("instance")) config.sources = {"prometheus"};
  if (section.has("sources")) config.sources = chosen_sources(section);
  return config;
}

LoadConfig parse_load_config_file(const std::string& text, const std::string& origin, const LoadConfig& otherwise) {
  const YamlSection root(load_yaml(text, origin, "configuration"), origin, "", {});
  if (!root.has("load")) root.fail(root.node(), "load", "is missing; write load: {sources: [host, probe]}");
  return parse_load_config(root.at("load"), origin, otherwise);
}

}  // namespace takt
