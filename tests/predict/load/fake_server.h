// A server that answers what a test wants, byte by byte if need be: right, wrong, late or never.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/basics/units.h"

namespace takt {

struct FakeReply {
  std::string bytes;   ///< the whole of it, head and body; empty: it closes the connection
  bool hangs = false;  ///< sends nothing, and keeps the connection
  bool drips = false;  ///< sends a byte every 20 ms
};

inline FakeReply http_reply(int status, const std::string& body, const std::string& more = "") {
  return {"HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\nConnection: close\r\n" + more + "\r\n" + body};
}

class FakeServer {
 public:
  using Answer = std::function<FakeReply(const std::string& request)>;
  explicit FakeServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&name), sizeof name);
    ::listen(listener_, 16);
    socklen_t size = sizeof name;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &size);
    port_ = ntohs(name.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    while (!stop_) {
      pollfd ready{listener_, POLLIN, 0};
      if (::poll(&ready, 1, 20) <= 0) continue;
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      talk(socket);
      ::close(socket);
    }
  }

  void talk(int socket) {
    std::string request;
    while (!stop_ && request.find("\r\n\r\n") == std::string::npos) {
      pollfd ready{socket, POLLIN, 0};
      if (::poll(&ready, 1, 20) <= 0) continue;
      std::array<char, 4096> bytes;
      const ssize_t count = ::recv(socket, bytes.data(), bytes.size(), 0);
      if (count <= 0) return;
      request.append(bytes.data(), static_cast<std::size_t>(count));
    }
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const FakeReply reply = answer_(request);
    std::size_t sent = 0;
    while (!stop_ && (reply.hangs || sent < reply.bytes.size())) {
      pollfd gone{socket, POLLIN, 0};  // whoever asked has had enough
      if ((reply.hangs || reply.drips) && ::poll(&gone, 1, 20) > 0) return;
      if (reply.hangs) continue;
      const std::size_t piece = reply.drips ? 1 : reply.bytes.size() - sent;
      const ssize_t count = ::send(socket, reply.bytes.data() + sent, piece, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }

  Answer answer_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace takt
