/*
 * The least that a fan-out can do: one thread, epoll, one send for each reader and write. A client
 * whose first byte is 'P' publishes: 4 bytes of length (little endian), then what every reader gets.
 * Everybody else is a reader and is answered with the head of an event stream at once.
 *
 *   fan-out-writer          prints its port
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define FDS 65536
#define FRAME (1 << 20)

enum kind { NONE, NEWCOMER, READER, PUBLISHER };
static unsigned char kinds[FDS];
static int readers[FDS], reader_count;
static char frame[FRAME];
static size_t filled;

static void send_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes += sent;
      length -= (size_t)sent;
    } else if (errno == EAGAIN) {
      struct pollfd wait = {fd, POLLOUT, 0};
      poll(&wait, 1, 1000);
    } else {
      return;
    }
  }
}

static void leave(int fd) {
  if (kinds[fd] == READER)
    for (int i = 0; i < reader_count; i++)
      if (readers[i] == fd) {
        readers[i] = readers[--reader_count];
        break;
      }
  kinds[fd] = NONE;
  close(fd);
}

static void publish(int fd) {
  ssize_t got = recv(fd, frame + filled, sizeof frame - filled, 0);
  if (got <= 0) {
    if (got == 0 || errno != EAGAIN) leave(fd);
    return;
  }
  filled += (size_t)got;
  for (;;) {
    uint32_t length;
    if (filled < sizeof length) return;
    memcpy(&length, frame, sizeof length);
    if (filled < sizeof length + length) return;
    for (int i = 0; i < reader_count; i++) send_all(readers[i], frame + sizeof length, length);
    filled -= sizeof length + length;
    memmove(frame, frame + sizeof length + length, filled);
  }
}

static void meet(int fd) {
  static const char head[] =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n\r\n: connected\n\n";
  char bytes[4096];
  ssize_t got = recv(fd, bytes, 1, MSG_PEEK);
  if (got <= 0) {
    if (got == 0 || errno != EAGAIN) leave(fd);
    return;
  }
  if (bytes[0] == 'P') {
    recv(fd, bytes, 1, 0);
    kinds[fd] = PUBLISHER;
    publish(fd);
    return;
  }
  recv(fd, bytes, sizeof bytes, 0);
  kinds[fd] = READER;
  readers[reader_count++] = fd;
  send_all(fd, head, sizeof head - 1);
}

int main(void) {
  int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poller = epoll_create1(0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 4096) != 0) return 1;
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[512];
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int count = epoll_wait(poller, events, 512, -1);
    for (int i = 0; i < count; i++) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        int joined;
        while ((joined = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          if (joined >= FDS) {
            close(joined);
            continue;
          }
          setsockopt(joined, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          kinds[joined] = NEWCOMER;
          event.events = EPOLLIN;
          event.data.fd = joined;
          epoll_ctl(poller, EPOLL_CTL_ADD, joined, &event);
        }
      } else if (kinds[fd] == NEWCOMER) {
        meet(fd);
      } else if (kinds[fd] == PUBLISHER) {
        publish(fd);
      } else if (kinds[fd] == READER) {
        char bytes[256];
        ssize_t got = recv(fd, bytes, sizeof bytes, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN)) leave(fd);
      }
    }
  }
}
