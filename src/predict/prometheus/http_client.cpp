#include "predict/prometheus/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/shared_library.h"

namespace takt {
namespace {

// libcurl's interface, as in its curl.h: the numbers never change.
struct CurlEasy;
struct CurlList;
enum CurlOption : int {
  curl_write_data = 10001,
  curl_address = 10002,
  curl_user_and_password = 10005,
  curl_error_text = 10010,
  curl_certificate = 10025,
  curl_headers = 10023,
  curl_ca_file = 10065,
  curl_key = 10087,
  curl_no_proxy = 10177,
  curl_verify_peer = 64,
  curl_verify_host = 81,
  curl_no_signal = 99,
  curl_timeout_ms = 155,
  curl_connect_timeout_ms = 156,
  curl_protocols = 181,
  curl_write_function = 20011,
};
constexpr int curl_response_code = 0x200002;
constexpr long curl_http_and_https = 3, curl_global_all = 3;
constexpr std::size_t curl_error_size = 256;

struct Curl {
  Curl() : library({"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4", "libcurl.4.dylib"}) {
    int (*start)(long) = nullptr;
    library.get(start, {"curl_global_init"});
    library.get(open, {"curl_easy_init"});
    library.get(close, {"curl_easy_cleanup"});
    library.get(reset, {"curl_easy_reset"});
    library.get(set, {"curl_easy_setopt"});
    library.get(perform, {"curl_easy_perform"});
    library.get(info, {"curl_easy_getinfo"});
    library.get(text_of, {"curl_easy_strerror"});
    library.get(append, {"curl_slist_append"});
    library.get(free_list, {"curl_slist_free_all"});
    if (start(curl_global_all) != 0) throw Error(ErrorKind::unsupported, "libcurl cannot be started");
  }

  SharedLibrary library;
  CurlEasy* (*open)() = nullptr;
  void (*close)(CurlEasy*) = nullptr;
  void (*reset)(CurlEasy*) = nullptr;
  int (*set)(CurlEasy*, CurlOption, ...) = nullptr;
  int (*perform)(CurlEasy*) = nullptr;
  int (*info)(CurlEasy*, int, ...) = nullptr;
  const char* (*text_of)(int) = nullptr;
  CurlList* (*append)(CurlList*, const char*) = nullptr;
  void (*free_list)(CurlList*) = nullptr;
};

const Curl& curl() {
  try {
    static const Curl library;  // started once, for all threads
    return library;
  } catch (const Error& error) {
    throw Error(ErrorKind::unsupported,
                fmt::format("querying a server needs libcurl, which {}; install the package libcurl4", error.what()));
  }
}

struct Body {
  std::string bytes;
  std::size_t most = 0;
  bool is_too_large = false;
};

/// libcurl hands over a piece of the answer; taking less than it is ends the transfer.
std::size_t take_piece(const char* piece, std::size_t size, std::size_t count, void* target) {
  Body& body = *static_cast<Body*>(target);
  const std::size_t bytes = size * count;
  body.is_too_large = body.bytes.size() + bytes > body.most;
  if (body.is_too_large) return 0;
  body.bytes.append(piece, bytes);
  return bytes;
}

/// In the words of whoever looks for the mistake; libcurl's own reason follows where it says more.
std::string reason_of(int code, const std::string& detail, Nanoseconds timeout) {
  switch (code) {
    case 3:
      return "the address is not valid; write http://HOST:PORT";
    case 1:
    case 8:
      return fmt::format("the server at this address does not speak HTTP ({})", detail);
    case 6:
      return fmt::format("its host name cannot be resolved ({})", detail);
    case 7:
      return fmt::format("cannot connect ({})", detail);
    case 28:
      return fmt::format("did not answer within {}", format_duration(timeout));
    case 52:
      return "closed the connection without an answer";
    case 18:
    case 56:
      return fmt::format("closed the connection during its answer ({})", detail);
    case 35:
    case 60:
      return fmt::format("no trusted connection is possible ({}); give the certificate's issuer with ca_file", detail);
    case 58:
    case 77:
      return fmt::format("a certificate or key file cannot be used ({})", detail);
    default:
      return fmt::format("cannot be queried ({})", detail);
  }
}

}  // namespace

struct HttpClient::Handle {
  Handle() : easy(curl().open()) {
    if (!easy) throw Error(ErrorKind::unsupported, "libcurl is out of memory");
  }
  ~Handle() { curl().close(easy); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  CurlEasy* easy;
};

HttpClient::HttpClient(HttpSettings settings) : settings_(std::move(settings)), handle_(std::make_unique<Handle>()) {}

HttpClient::~HttpClient() = default;

HttpAnswer HttpClient::get(const std::string& address, Nanoseconds timeout) {
  const Curl& library = curl();
  CurlEasy* const easy = handle_->easy;
  const long limit = std::max(1L, static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(timeout).count()));
  std::array<char, curl_error_size> error{};
  Body body;
  body.most = settings_.most_bytes;
  const auto text = [&](CurlOption option, const std::string& value) {
    if (!value.empty()) library.set(easy, option, value.c_str());  // libcurl copies it
  };
  library.reset(easy);
  text(curl_address, address);
  library.set(easy, curl_protocols, curl_http_and_https);
  library.set(easy, curl_no_signal, 1L);
  library.set(easy, curl_no_proxy, "*");
  library.set(easy, curl_timeout_ms, limit);
  library.set(easy, curl_connect_timeout_ms, limit);
  library.set(easy, curl_error_text, error.data());
  library.set(easy, curl_write_function, &take_piece);
  library.set(easy, curl_write_data, &body);
  text(curl_ca_file, settings_.ca_file.string());
  text(curl_certificate, settings_.cert_file.string());
  text(curl_key, settings_.key_file.string());
  if (settings_.insecure_skip_verify) {
    library.set(easy, curl_verify_peer, 0L);
    library.set(easy, curl_verify_host, 0L);
  }
  if (!settings_.username.empty()) text(curl_user_and_password, settings_.username + ":" + settings_.password);
  CurlList* headers = nullptr;
  if (!settings_.authorization.empty())
    headers = library.append(headers, ("Authorization: " + settings_.authorization).c_str());
  if (headers) library.set(easy, curl_headers, headers);

  const int code = library.perform(easy);
  long status = 0;
  library.info(easy, curl_response_code, &status);
  library.free_list(headers);
  if (body.is_too_large)
    throw Error(ErrorKind::io, fmt::format("answers with more than {}; ask for less, or raise max_bytes",
                                           format_bytes(static_cast<double>(settings_.most_bytes))));
  if (code != 0) {
    const std::string detail = printable(error[0] ? std::string(error.data()) : library.text_of(code));
    throw Error(ErrorKind::io, reason_of(code, detail, timeout));
  }
  return {static_cast<int>(status), std::move(body.bytes)};
}

std::string url_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return encoded;
}

}  // namespace takt
