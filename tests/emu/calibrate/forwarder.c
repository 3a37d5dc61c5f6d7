/* A line with a known rate and latency, for tests: takes Ethernet frames from one interface and sends each from the
 * other interface at the instant at which its last bit would leave the line. The two directions are separate lines.
 * With one interface as argument, it only turns off features that change frames (segmentation and checksums by a
 * card). Usage: forwarder IFACE | forwarder IFACE IFACE MBIT MICROSECONDS. Ends on a signal. */
#define _GNU_SOURCE /* ppoll */
#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { frame_bytes = 10000, frames = 8192 };

struct frame {
  long long due; /* ns */
  int bytes;
  unsigned char data[frame_bytes];
};

/* Frames that have entered at one side and must leave at the other, in order. */
struct line {
  int in, out;
  long long free; /* when the last bit of all preceding frames is on its way, ns */
  unsigned long head, tail;
  struct frame* ring;
};

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void die(const char* what) {
  perror(what);
  exit(1);
}

static void plain(const char* name) {
  const unsigned int features[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO, ETHTOOL_STXCSUM};
  int s = socket(AF_INET, SOCK_DGRAM, 0);
  for (unsigned i = 0; i < sizeof features / sizeof *features; ++i) {
    struct ethtool_value value = {features[i], 0};
    struct ifreq request = {0};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    request.ifr_data = (char*)&value;
    if (ioctl(s, SIOCETHTOOL, &request) != 0) die(name);
  }
  close(s);
}

static int port(const char* name) {
  int s = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
  struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
  int bytes = 64 << 20, on = 1;
  address.sll_ifindex = if_nametoindex(name);
  if (s < 0 || !address.sll_ifindex || bind(s, (struct sockaddr*)&address, sizeof address) != 0) die(name);
  setsockopt(s, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
  if (setsockopt(s, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0) die("PACKET_IGNORE_OUTGOING");
  return s;
}

static void take(struct line* line, double bit, long long latency) {
  while (line->head - line->tail < frames) {
    struct frame* frame = &line->ring[line->head % frames];
    frame->bytes = recv(line->in, frame->data, frame_bytes, 0);
    if (frame->bytes <= 0) return;
    const long long begin = now();
    line->free = (line->free > begin ? line->free : begin) + (long long)(8 * frame->bytes * bit);
    frame->due = line->free + latency;
    ++line->head;
  }
}

static void give(struct line* line) {
  while (line->tail != line->head) {
    struct frame* frame = &line->ring[line->tail % frames];
    if (frame->due > now()) return;
    if (send(line->out, frame->data, frame->bytes, 0) < 0) return; /* no room: try again soon */
    ++line->tail;
  }
}

int main(int argc, char** argv) {
  if (argc == 2) {
    plain(argv[1]);
    return 0;
  }
  if (argc != 5) {
    fprintf(stderr, "Usage: forwarder IFACE | forwarder IFACE IFACE MBIT MICROSECONDS\n");
    return 2;
  }
  const double bit = 1000 / atof(argv[3]); /* ns */
  const long long latency = atoll(argv[4]) * 1000;
  /* Ranks spin: a process that waits until they pause is late. */
  struct sched_param first = {.sched_priority = 10};
  sched_setscheduler(0, SCHED_FIFO, &first);
  int a = port(argv[1]), b = port(argv[2]);
  struct line lines[2] = {{a, b, 0, 0, 0, NULL}, {b, a, 0, 0, 0, NULL}};
  for (int i = 0; i < 2; ++i)
    if (!(lines[i].ring = calloc(frames, sizeof(struct frame)))) die("memory");
  puts("ready");
  fflush(stdout);
  for (;;) {
    long long due = -1;
    for (int i = 0; i < 2; ++i) {
      take(&lines[i], bit, latency);
      give(&lines[i]);
      if (lines[i].tail == lines[i].head) continue;
      const long long next = lines[i].ring[lines[i].tail % frames].due;
      if (due < 0 || next < due) due = next;
    }
    struct pollfd ports[2] = {{a, POLLIN, 0}, {b, POLLIN, 0}};
    const long long left = due < 0 ? 1000000000LL : due > now() ? due - now() : 20000;
    struct timespec pause = {left / 1000000000LL, left % 1000000000LL};
    ppoll(ports, 2, &pause, NULL);
  }
}
