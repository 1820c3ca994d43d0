// The smallest web server that Prometheus can scrape: one page, for any number of readers, on one thread.
//
// Its own, since a server library would bring threads, files and everything else of the web into a program that shows
// one page; what it must stand is little and tested: readers that send nothing, rubbish, too much, or never read.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>

#include "base/basics/units.h"

namespace takt {

/// "127.0.0.1:9817", "[::1]:9817", ":9817" (every address), "9817" (this machine alone).
struct ListenAddress {
  std::string host = "127.0.0.1";
  int port = 9817;  ///< 0: one that is free

  bool is_local() const { return host == "127.0.0.1" || host == "::1"; }
};
/// Numbers only, and "localhost". Throws Error(bad_input).
ListenAddress parse_listen_address(std::string_view text);
std::string to_string(const ListenAddress& address);

class MetricsServer {
 public:
  /// Listens from the end of the constructor. Throws Error(io) where the address cannot be had.
  explicit MetricsServer(const ListenAddress& address);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  const ListenAddress& address() const { return address_; }  ///< with the port that it got

  /// Answers GET /metrics with `page()` until `stop`, which it sees within a tenth of a second.
  void serve(const std::function<std::string()>& page, const std::atomic<bool>& stop);

 private:
  ListenAddress address_;
  int listener_ = -1;
};

/// The whole answer to what a reader sent, head and body; empty: the request is not complete yet. Pure but for `page`.
std::string answer_to(std::string_view request, const std::function<std::string()>& page);

}  // namespace takt
