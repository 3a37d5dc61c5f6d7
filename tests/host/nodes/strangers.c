// strangers.so, preloaded into the ranks of a job: whenever libemu listens for other agents, strangers connect before
// any agent can. They stay until the process ends. The library appends libemu's address to the file STRANGERS.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { strangers = 200 };

// The i-th stranger sends nothing, a request of another protocol, a length of 2^64-1
// wherever a length may be, a frame of that length, or an incomplete message.
static void say(int fd, int i) {
  static const char request[] = "GET / HTTP/1.1\r\nHost: somewhere.else\r\nAccept: */*\r\n\r\n";
  unsigned char ones[4096];
  struct {
    uint32_t kind, reserved;
    uint64_t bytes, received;
  } frame = {0, 0, UINT64_MAX, 0};
  memset(ones, 0xff, sizeof ones);
  switch (i % 5) {
    case 0:
      return;
    case 1:
      send(fd, request, sizeof request - 1, MSG_NOSIGNAL);
      return;
    case 2:
      send(fd, ones, sizeof ones, MSG_NOSIGNAL);
      return;
    case 3:
      for (int k = 0; k < 20; ++k) send(fd, &frame, sizeof frame, MSG_NOSIGNAL);
      return;
    default:
      send(fd, ones, 20, MSG_NOSIGNAL);
  }
}

// An address to connect to: for any address, the loopback's.
static void reachable(struct sockaddr_storage* at) {
  struct sockaddr_in* in = (struct sockaddr_in*)at;
  struct sockaddr_in6* in6 = (struct sockaddr_in6*)at;
  if (at->ss_family == AF_INET && in->sin_addr.s_addr == htonl(INADDR_ANY))
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (at->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr))
    in6->sin6_addr = in6addr_loopback;
}

static void note(const struct sockaddr_storage* at) {
  char text[INET6_ADDRSTRLEN] = "?";
  const void* address = at->ss_family == AF_INET ? (const void*)&((const struct sockaddr_in*)at)->sin_addr
                                                 : (const void*)&((const struct sockaddr_in6*)at)->sin6_addr;
  inet_ntop(at->ss_family, address, text, sizeof text);
  FILE* file = fopen(getenv("STRANGERS"), "a");
  if (!file) abort();
  fprintf(file, "%s\n", text);
  fclose(file);
}

int listen(int fd, int backlog) {
  int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "listen");
  const int result = real(fd, backlog);
  Dl_info caller;
  if (result != 0 || !dladdr(__builtin_return_address(0), &caller) || !strstr(caller.dli_fname, "libemu.so"))
    return result;
  struct sockaddr_storage at;
  socklen_t size = sizeof at;
  if (getsockname(fd, (struct sockaddr*)&at, &size) != 0) abort();
  note(&at);
  reachable(&at);
  for (int i = 0; i < strangers; ++i) {
    const int stranger = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (stranger < 0 || connect(stranger, (struct sockaddr*)&at, size) != 0) abort();
    say(stranger, i);
  }
  return result;
}
