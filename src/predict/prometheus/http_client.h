// Asking a server over HTTP or HTTPS, by libcurl.
//
// libcurl because it is what every system has and keeps safe: TLS with the system's certificates, limits of time and
// size that hold. It is loaded when somebody asks a server, by its functions' fixed binary interface (libcurl.so.4, the
// same since 2006): nothing else of takt pays for the thirty libraries behind it, and a system without it runs the
// rest.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/basics/units.h"

namespace takt {

/// How a server is asked. Names as in Prometheus' own http_config.
struct HttpSettings {
  std::size_t most_bytes = std::size_t{16} << 20;  ///< of an answer; a larger one is refused
  std::string authorization;                       ///< the header's value: "Bearer abc"; empty: none
  std::string username, password;                  ///< of basic authentication; empty: none
  std::filesystem::path ca_file;                   ///< who is trusted to name servers; empty: whom the system trusts
  std::filesystem::path cert_file, key_file;       ///< what takt shows of itself; empty: nothing
  bool insecure_skip_verify = false;               ///< true: whoever answers is believed
};

struct HttpAnswer {
  int status = 0;
  std::string body;
};

/// Keeps its connection between questions. Follows no redirection and uses no proxy. Not thread-safe.
class HttpClient {
 public:
  /// Throws Error(unsupported) without libcurl.
  explicit HttpClient(HttpSettings settings);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Throws Error(io) that says what went wrong, without the address: nobody answers, not in time, too much. Returns
  /// within `timeout` and a few milliseconds.
  HttpAnswer get(const std::string& address, Nanoseconds timeout);

 private:
  struct Handle;
  HttpSettings settings_;
  std::unique_ptr<Handle> handle_;
};

/// Bytes other than letters, digits and -._~ as %XX.
std::string url_encoded(std::string_view text);

}  // namespace takt
