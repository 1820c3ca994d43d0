// How often the exporter reads, and over which time. Machines only ever make it slower.
#include "predict/sources/exporter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "predict/prometheus/http_client.h"
#include "refused.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// An exporter of the host's load that runs while this lives.
class RunningExporter {
 public:
  RunningExporter(Nanoseconds window, Nanoseconds interval) : begin_(steady_now()) {
    ExporterSettings settings;
    settings.address.port = 0;
    settings.load.sources = {"host"};
    settings.load.window = window, settings.interval = interval;
    thread_ = std::thread([this, settings] {
      run_exporter(settings, stop_, [this](const ListenAddress& address) {
        took_ = steady_now() - begin_;
        port_ = address.port;
      });
    });
    while (port_ == 0) std::this_thread::sleep_for(1ms);
  }
  ~RunningExporter() {
    stop_ = true;
    thread_.join();
  }
  /// From the beginning until somebody could ask.
  Nanoseconds first_after() const { return took_; }
  /// How old the figures are that it shows now, in seconds.
  double age() {
    const std::string page = client_.get("http://127.0.0.1:" + std::to_string(port_) + "/metrics", 20s).body;
    const std::string line = "\ntakt_load_age_seconds ";
    const auto at = page.find(line);
    EXPECT_NE(at, std::string::npos) << page;
    EXPECT_NE(page.find("\ntakt_load_source_up{source=\"host\"} 1\n"), std::string::npos) << page;
    return number_in<double>(page.substr(at + line.size(), page.find('\n', at + 1) - at - line.size())).value_or(-1);
  }

 private:
  const Nanoseconds begin_;
  std::atomic<bool> stop_{false};
  std::atomic<int> port_{0};
  Nanoseconds took_{};
  HttpClient client_{HttpSettings{}};
  std::thread thread_;
};

TEST(Exporter, the_first_reading_takes_its_window_and_stays_until_the_interval_has_passed) {
  RunningExporter exporter(100ms, 1h);
  EXPECT_GE(exporter.first_after(), 100ms);
  const double first = exporter.age();
  std::this_thread::sleep_for(200ms);
  EXPECT_GE(exporter.age(), first + 0.19);
}

TEST(Exporter, later_readings_take_their_window_too) {
  RunningExporter exporter(100ms, 1ms);
  const Nanoseconds begin = steady_now();
  int news = 0;
  for (double last = exporter.age(); steady_now() - begin < 800ms || (news == 0 && steady_now() - begin < 20s);) {
    const double age = exporter.age();
    news += age < last;
    last = age;
  }
  EXPECT_GT(news, 0);
  EXPECT_LE(news, (steady_now() - begin) / 100ms + 1);
}

TEST(Exporter, reads_every_five_seconds_on_its_own_machine_unless_said_otherwise) {
  const ExporterSettings settings;
  EXPECT_EQ(settings.interval, 5s);
  EXPECT_EQ(settings.load.window, 1s);
  EXPECT_EQ(to_string(settings.address), "127.0.0.1:9817");
}

TEST(Exporter, an_address_that_is_taken_is_told_before_anything_is_read) {
  const MetricsServer first({"127.0.0.1", 0});
  ExporterSettings settings;
  settings.address = first.address(), settings.load.window = 1h;
  const std::atomic<bool> stop{false};
  EXPECT_EQ(
      refused_with([&] { run_exporter(settings, stop, [](const ListenAddress&) { ADD_FAILURE() << "started"; }); }),
      "cannot listen on " + to_string(settings.address) + ": another program listens there; choose another port");
}

}  // namespace
}  // namespace takt
