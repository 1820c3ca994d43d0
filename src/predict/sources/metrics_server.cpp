#include "predict/sources/metrics_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_request = 8192, most_readers = 64;
constexpr Nanoseconds reader_patience = 5s;

struct SocketName {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

std::optional<SocketName> socket_name(const ListenAddress& address) {
  SocketName name;
  if (auto* v4 = reinterpret_cast<sockaddr_in*>(&name.storage);
      ::inet_pton(AF_INET, address.host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(static_cast<std::uint16_t>(address.port));
    name.size = sizeof *v4;
    return name;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&name.storage);
  if (::inet_pton(AF_INET6, address.host.c_str(), &v6->sin6_addr) != 1) return std::nullopt;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(static_cast<std::uint16_t>(address.port));
  name.size = sizeof *v6;
  return name;
}

int port_of(int socket) {
  SocketName name;
  name.size = sizeof name.storage;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&name.storage), &name.size);
  return ntohs(name.storage.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&name.storage)->sin_port
                                                 : reinterpret_cast<sockaddr_in6*>(&name.storage)->sin6_port);
}

std::string response(std::string_view status, std::string_view kind, std::string_view body, bool with_body = true) {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", status,
                     kind, body.size(), with_body ? body : "");
}

std::string plain(std::string_view status) {
  return response(status, "text/plain; charset=utf-8", fmt::format("{}\n", status));
}

/// One who asks: what it has sent, what it has yet to get.
class Reader {
 public:
  explicit Reader(int socket) : socket_(socket), until_(steady_now() + reader_patience) {}
  Reader(Reader&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        request_(std::move(other.request_)),
        answer_(std::move(other.answer_)),
        until_(other.until_) {}
  Reader& operator=(Reader&& other) noexcept {
    std::swap(socket_, other.socket_);
    request_ = std::move(other.request_), answer_ = std::move(other.answer_), until_ = other.until_;
    return *this;
  }
  ~Reader() {
    if (socket_ >= 0) ::close(socket_);
  }

  pollfd wants() const { return {socket_, static_cast<short>(answer_.empty() ? POLLIN : POLLOUT), 0}; }

  /// False: there is nothing more to do for it.
  bool step(const std::function<std::string()>& page) { return answer_.empty() ? read(page) : write(); }
  bool is_late() const { return steady_now() > until_; }

 private:
  bool read(const std::function<std::string()>& page) {
    std::array<char, 4096> bytes;
    const ssize_t count = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    request_.append(bytes.data(), static_cast<std::size_t>(count));
    answer_ = answer_to(request_, page);
    return true;
  }

  bool write() {
    const ssize_t count = ::send(socket_, answer_.data(), answer_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    answer_.erase(0, static_cast<std::size_t>(count));
    return !answer_.empty();
  }

  int socket_;
  std::string request_, answer_;
  Nanoseconds until_;
};

}  // namespace

ListenAddress parse_listen_address(std::string_view text) {
  ListenAddress address;
  const auto fail = [&] {
    refuse_input(fmt::format("'{}' is not an address to listen on; write one like 127.0.0.1:9817", printable(text)));
  };
  const auto colon = text.rfind(':');
  std::string_view port = text;
  if (colon != std::string_view::npos && !text.ends_with(']')) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    address.host = host.empty() ? "0.0.0.0" : host == "localhost" ? "127.0.0.1" : std::string(host);
  }
  const auto number = number_in<int>(port);
  if (!number || *number < 0 || *number > 65535) fail();
  address.port = *number;
  if (!socket_name(address)) fail();
  return address;
}

std::string to_string(const ListenAddress& address) {
  return address.host.find(':') == std::string::npos ? fmt::format("{}:{}", address.host, address.port)
                                                     : fmt::format("[{}]:{}", address.host, address.port);
}

MetricsServer::MetricsServer(const ListenAddress& address) : address_(address) {
  const auto name = socket_name(address);
  int error = EINVAL;
  if (name) {
    listener_ = ::socket(name->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    if (listener_ >= 0) ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    error = listener_ >= 0 && ::bind(listener_, reinterpret_cast<const sockaddr*>(&name->storage), name->size) == 0 &&
                    ::listen(listener_, 64) == 0
                ? 0
                : errno;
  }
  if (error != 0) {
    if (listener_ >= 0) ::close(listener_);
    const std::string reason =
        error == EADDRINUSE ? "another program listens there; choose another port" : reason_of(error);
    throw Error(ErrorKind::io, fmt::format("cannot listen on {}: {}", to_string(address_), reason));
  }
  address_.port = port_of(listener_);
}

MetricsServer::~MetricsServer() { ::close(listener_); }

void MetricsServer::serve(const std::function<std::string()>& page, const std::atomic<bool>& stop) {
  std::vector<Reader> readers;
  while (!stop) {
    std::vector<pollfd> wanted;
    for (const Reader& reader : readers) wanted.push_back(reader.wants());
    const bool has_room = readers.size() < most_readers;  // others wait in the system's queue until then
    if (has_room) wanted.push_back({listener_, POLLIN, 0});
    ::poll(wanted.data(), wanted.size(), 100);
    std::vector<Reader> staying;
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const bool is_ready = wanted[i].revents != 0;
      if ((!is_ready || readers[i].step(page)) && !readers[i].is_late()) staying.push_back(std::move(readers[i]));
    }
    readers = std::move(staying);
    if (!has_room || wanted.back().revents == 0) continue;
    if (const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); socket >= 0)
      readers.emplace_back(socket);
  }
}

std::string answer_to(std::string_view request, const std::function<std::string()>& page) {
  const auto end = request.find("\r\n\r\n");
  if (end == std::string_view::npos && request.size() < most_request) return "";
  if (end == std::string_view::npos || end > most_request) return plain("431 Request Header Fields Too Large");
  const auto words = split(request.substr(0, request.find("\r\n")), ' ');
  if (words.size() != 3 || !words[2].starts_with("HTTP/1.")) return plain("400 Bad Request");
  const std::string path = words[1].substr(0, words[1].find('?'));
  if (words[0] != "GET" && words[0] != "HEAD") return plain("405 Method Not Allowed");
  const bool with_body = words[0] == "GET";
  if (path == "/metrics") return response("200 OK", "text/plain; version=0.0.4; charset=utf-8", page(), with_body);
  if (path == "/")
    return response("200 OK", "text/html; charset=utf-8",
                    "<!DOCTYPE html><title>takt exporter</title><a href=\"/metrics\">metrics</a>\n", with_body);
  return plain("404 Not Found");
}

}  // namespace takt
