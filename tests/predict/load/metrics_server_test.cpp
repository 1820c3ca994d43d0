#include "predict/sources/metrics_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "base/basics/error.h"
#include "base/opened_descriptors.h"
#include "predict/prometheus/http_client.h"
#include "refused.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// A server that runs while this lives.
class Running {
 public:
  explicit Running(std::string page) : server_({"127.0.0.1", 0}) {
    thread_ = std::thread([this, page = std::move(page)] { server_.serve([&] { return page; }, stop_); });
  }
  ~Running() {
    stop_ = true;
    thread_.join();
  }
  std::string url() const { return "http://" + to_string(server_.address()); }
  int port() const { return server_.address().port; }

  /// A connection that sends `text` and nothing more.
  int connect(const std::string& text) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(static_cast<std::uint16_t>(port()));
    EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    return socket;
  }

 private:
  std::atomic<bool> stop_{false};
  MetricsServer server_;
  std::thread thread_;
};

TEST(MetricsServer, shows_its_page) {
  const Running server("takt_x 1\n");
  HttpClient client({});
  for (int turn = 0; turn < 3; ++turn) {
    const HttpAnswer answer = client.get(server.url() + "/metrics", 20s);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "takt_x 1\n");
  }
  EXPECT_EQ(client.get(server.url() + "/", 20s).status, 200);
  EXPECT_EQ(client.get(server.url() + "/other", 20s).status, 404);
}

TEST(MetricsServer, readers_that_misbehave_stop_nobody) {
  const Running server(std::string(3'000'000, 'x'));
  std::vector<int> others;
  others.push_back(server.connect(""));                               // says nothing
  others.push_back(server.connect("GET /metrics HTTP/1.1\r\n"));      // does not end
  others.push_back(server.connect("GET /metrics HTTP/1.1\r\n\r\n"));  // never reads three megabytes
  ::close(server.connect("GET /metrics HTTP/1.1\r\n\r\n"));           // does not wait
  const int rubbish = server.connect(std::string(2000, '\1') + "\r\n\r\n");
  std::array<char, 64> reply{};
  EXPECT_GT(::recv(rubbish, reply.data(), reply.size(), 0), 0);
  EXPECT_EQ(std::string(reply.data(), 12), "HTTP/1.1 400");
  EXPECT_EQ(HttpClient({}).get(server.url() + "/metrics", 20s).body.size(), 3'000'000u);
  others.push_back(rubbish);
  for (const int socket : others) ::close(socket);
}

TEST(MetricsServer, its_sockets_are_closed_in_children) {
  const OpenedDescriptors opened;
  {
    const Running server("takt_x 1\n");
    const int reader = server.connect("GET /metrics HTTP/1.1\r\n\r\n");
    std::array<char, 64> reply{};
    EXPECT_GT(::recv(reader, reply.data(), reply.size(), 0), 0);
    ::close(reader);
  }
  EXPECT_THAT(opened.functions(), testing::HasSubstr("accept4"));
  EXPECT_EQ(opened.inherited(), "");
}

TEST(MetricsServer, answers_by_the_request) {
  const auto page = [] { return std::string("p\n"); };
  const auto status = [&](std::string_view request) { return answer_to(request, page).substr(9, 3); };
  EXPECT_EQ(status("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"), "200");
  EXPECT_EQ(status("GET /metrics?x=1 HTTP/1.0\r\n\r\n"), "200");
  EXPECT_EQ(status("POST /metrics HTTP/1.1\r\n\r\n"), "405");
  EXPECT_EQ(status("GET /../etc/passwd HTTP/1.1\r\n\r\n"), "404");
  EXPECT_EQ(status("GET /metrics HTTP/2\r\n\r\n"), "400");
  EXPECT_EQ(status("GET  /metrics HTTP/1.1\r\n\r\n"), "400");
  EXPECT_EQ(status(std::string(9000, 'a')), "431");
  EXPECT_EQ(status("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n\r\n"), "431");
  EXPECT_EQ(answer_to("GET /metrics HTTP/1.1\r\n", page), "") << "more may come";
  const std::string head = answer_to("HEAD /metrics HTTP/1.1\r\n\r\n", page);
  EXPECT_NE(head.find("Content-Length: 2\r\n"), std::string::npos);
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

TEST(MetricsServer, answers_are_these_to_the_last_letter) {
  const auto page = [] { return std::string("p 1\n"); };
  const std::string shown =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 4\r\n"
      "Connection: close\r\n\r\n";
  EXPECT_EQ(answer_to("GET /metrics HTTP/1.1\r\n\r\n", page), shown + "p 1\n");
  EXPECT_EQ(answer_to("HEAD /metrics?x HTTP/1.1\r\n\r\n", page), shown);
  const std::string link = "<!DOCTYPE html><title>takt exporter</title><a href=\"/metrics\">metrics</a>\n";
  const std::string start =
      "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " + std::to_string(link.size()) +
      "\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(answer_to("GET / HTTP/1.1\r\n\r\n", page), start + link);
  EXPECT_EQ(answer_to("HEAD / HTTP/1.1\r\n\r\n", page), start);
  const auto plain = [](const std::string& status) {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(status.size() + 1) +
           "\r\nConnection: close\r\n\r\n" + status + "\n";
  };
  EXPECT_EQ(answer_to("GET /x HTTP/1.1\r\n\r\n", page), plain("404 Not Found"));
  EXPECT_EQ(answer_to("HEAD /x HTTP/1.1\r\n\r\n", page), plain("404 Not Found"));
  EXPECT_EQ(answer_to("PUT / HTTP/1.1\r\n\r\n", page), plain("405 Method Not Allowed"));
  EXPECT_EQ(answer_to("GET / HTTP/1.1 x\r\n\r\n", page), plain("400 Bad Request"));
  EXPECT_EQ(answer_to("GET /\r\n\r\n", page), plain("400 Bad Request"));
  // Of a head of 8192 bytes and more nothing more is read; one that ends by then is answered.
  const std::string start_of_line = "GET /metrics HTTP/1.1\r\nX: ";
  const auto of_size = [&](std::size_t bytes) {
    return start_of_line + std::string(bytes - start_of_line.size(), 'x');
  };
  EXPECT_EQ(answer_to(of_size(8191), page), "");
  EXPECT_EQ(answer_to(of_size(8192), page), plain("431 Request Header Fields Too Large"));
  EXPECT_EQ(answer_to(of_size(8192) + "\r\n\r\n", page), shown + "p 1\n");
  EXPECT_EQ(answer_to(of_size(8193) + "\r\n\r\n", page), plain("431 Request Header Fields Too Large"));
}

TEST(MetricsServer, listens_on_addresses_of_both_kinds) {
  for (const char* text : {"127.0.0.1:0", "[::1]:0"}) {
    std::unique_ptr<MetricsServer> server;
    try {
      server = std::make_unique<MetricsServer>(parse_listen_address(text));
    } catch (const Error&) {
      EXPECT_STREQ(text, "[::1]:0") << "only a system without IPv6 has none";
      continue;
    }
    EXPECT_GT(server->address().port, 0);
    std::atomic<bool> stop{false};
    std::thread thread([&] { server->serve([] { return std::string("x\n"); }, stop); });
    EXPECT_EQ(HttpClient({}).get("http://" + to_string(server->address()) + "/metrics", 20s).body, "x\n") << text;
    stop = true;
    thread.join();
  }
  EXPECT_EQ(refused_with([&] { MetricsServer({"no address", 1}); }), "cannot listen on no address:1: Invalid argument");
}

TEST(MetricsServer, addresses_are_read) {
  EXPECT_EQ(to_string(parse_listen_address("9817")), "127.0.0.1:9817");
  EXPECT_EQ(to_string(parse_listen_address("localhost:1")), "127.0.0.1:1");
  EXPECT_EQ(to_string(parse_listen_address(":80")), "0.0.0.0:80");
  EXPECT_EQ(to_string(parse_listen_address("0")), "127.0.0.1:0");
  EXPECT_EQ(to_string(parse_listen_address("1.2.3.4:65535")), "1.2.3.4:65535");
  EXPECT_TRUE(parse_listen_address("1").is_local());
  EXPECT_EQ(to_string(parse_listen_address("[::1]:80")), "[::1]:80");
  EXPECT_TRUE(parse_listen_address("[::1]:80").is_local());
  EXPECT_FALSE(parse_listen_address("0.0.0.0:80").is_local());
  for (const char* text : {"", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:70000", "1:65536", "1:-1",
                           "-1", "65536", "box:80", "1.2.3:80", "[::1]"})
    EXPECT_EQ(refused_with([&] { parse_listen_address(text); }),
              "'" + std::string(text) + "' is not an address to listen on; write one like 127.0.0.1:9817");
}

TEST(MetricsServer, an_address_that_is_taken_is_named) {
  const Running first("x\n");
  try {
    const MetricsServer second({"127.0.0.1", first.port()});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "cannot listen on 127.0.0.1:" + std::to_string(first.port()) +
                                             ": another program listens there; choose another port");
  }
}

}  // namespace
}  // namespace takt
