// Preloaded by quiet_test.py: a program that opens a socket to the network is named in the file $TAKT_SOCKETS.
#include <dlfcn.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] int socket(int domain, int type, int protocol) {
  using Socket = int (*)(int, int, int);
  static const auto real = reinterpret_cast<Socket>(dlsym(RTLD_NEXT, "socket"));
  const char* file = std::getenv("TAKT_SOCKETS");
  if (file != nullptr && domain != AF_UNIX) {
    if (std::FILE* log = std::fopen(file, "a")) {
      std::fprintf(log, "socket of domain %d\n", domain);
      std::fclose(log);
    }
  }
  return real(domain, type, protocol);
}
