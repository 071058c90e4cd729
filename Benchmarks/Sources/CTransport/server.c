#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CTransport.h"

static const char small[] =
    "{\"id\":4711,\"email\":\"ada@example.com\",\"first\":\"Ada\",\"last\":\"Lovelace\",\"age\":36,\"score\":0.75,"
    "\"created_at\":\"2024-05-06T07:08:09Z\",\"tags\":[\"a\",\"b\"],\"address\":{\"id\":5,\"street\":\"12 St James's "
    "Square\",\"city\":\"London\"}}";

size_t transport_small_size(void) { return sizeof small - 1; }

#ifdef __linux__
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_LIMIT 8192
#define BLOCK (1 << 20)

typedef struct {
  int socket;
  bool sums;
  size_t head_count;
  // The lengths of the request's body and of the response's.
  uint64_t left_in, left_out, received, sum;
  char head[HEAD_LIMIT];
} client;

static uint8_t block[BLOCK];
static uint8_t input[256 << 10];
static int events;

static void wait_for(client *client, uint32_t what) {
  struct epoll_event event = {.events = what, .data.ptr = client};
  epoll_ctl(events, EPOLL_CTL_MOD, client->socket, &event);
}

// Whether all was taken: a response without a large body fits into a socket's buffer.
static bool send_all(client *client, const char *bytes, int count) {
  return count > 0 && send(client->socket, bytes, (size_t)count, MSG_NOSIGNAL) == count;
}

static bool send_block(client *client, uint64_t total) {
  while (client->left_out > 0) {
    size_t offset = (size_t)((total - client->left_out) % BLOCK);
    size_t count = BLOCK - offset < client->left_out ? BLOCK - offset : (size_t)client->left_out;
    ssize_t sent = send(client->socket, block + offset, count, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
      wait_for(client, EPOLLOUT);
      return true;
    }
    client->left_out -= (uint64_t)sent;
  }
  wait_for(client, EPOLLIN);
  return true;
}

#define FIELDS                                                                                       \
  "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Mon, 06 May 2024 07:08:09 GMT\r\nContent-Type: %s\r\n" \
  "ETag: \"33a64df5\"\r\nCache-Control: private, max-age=0\r\nContent-Length: %llu\r\n\r\n%s"

static bool answer(client *client, const char *type, const char *body) {
  char text[2048];
  return send_all(client, text, snprintf(text, sizeof text, FIELDS, type, (unsigned long long)strlen(body), body));
}

static bool answer_count(client *client) {
  char body[128];
  snprintf(
      body, sizeof body, "{\"bytes\":%llu,\"sum\":%llu}", (unsigned long long)client->received,
      (unsigned long long)client->sum);
  client->received = client->sum = 0;
  return answer(client, "application/json", body);
}

static const char *field(const char *head, const char *name) {
  const char *found = strcasestr(head, name);
  return found ? found + strlen(name) : NULL;
}

// A whole head, which ends with NUL.
static bool begin(client *client) {
  const char *head = client->head;
  if (strncmp(head, "GET /small ", 11) == 0) return answer(client, "application/json", small);
  if (strncmp(head, "GET /bytes/", 11) == 0) {
    uint64_t total = strtoull(head + 11, NULL, 10);
    char text[512];
    int count = snprintf(text, sizeof text, FIELDS, "application/octet-stream", (unsigned long long)total, "");
    client->left_out = total;
    client->received = total;
    return send_all(client, text, count) && send_block(client, total);
  }
  const char *length = field(head, "\r\ncontent-length:");
  if (strncmp(head, "PUT ", 4) != 0 || !length) return false;
  client->sums = strncmp(head, "PUT /sum ", 9) == 0;
  client->received = client->sum = 0;
  client->left_in = strtoull(length, NULL, 10);
  return client->left_in > 0 || answer_count(client);
}

static bool take(client *client, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    if (client->left_in > 0) {
      size_t part = count < client->left_in ? count : (size_t)client->left_in;
      if (client->sums) {
        for (size_t index = 0; index < part; index++) client->sum += bytes[index];
      }
      client->received += part;
      client->left_in -= part;
      bytes += part;
      count -= part;
      if (client->left_in == 0 && !answer_count(client)) return false;
      continue;
    }
    size_t room = HEAD_LIMIT - 1 - client->head_count, part = count < room ? count : room;
    size_t before = client->head_count;
    memcpy(client->head + before, bytes, part);
    client->head_count += part;
    const char *end = memmem(client->head, client->head_count, "\r\n\r\n", 4);
    if (!end) {
      bytes += part;
      count -= part;
      if (client->head_count == HEAD_LIMIT - 1) return false;
      continue;
    }
    size_t size = (size_t)(end - client->head) + 4;
    client->head[size] = 0;
    bytes += size - before;
    count -= size - before;
    client->head_count = 0;
    if (!begin(client)) return false;
  }
  return true;
}

static bool serve(client *client, uint32_t what) {
  if (client->left_out > 0) return (what & (EPOLLHUP | EPOLLERR)) == 0 && send_block(client, client->received);
  // Once for each event: further bytes make the next one.
  ssize_t count = recv(client->socket, input, sizeof input, 0);
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
  return count > 0 && take(client, input, (size_t)count);
}

static void accept_all(int listener) {
  while (true) {
    int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    client *made = calloc(1, sizeof *made);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = made};
    if (!made || epoll_ctl(events, EPOLL_CTL_ADD, socket, &event) != 0) {
      free(made);
      close(socket);
      continue;
    }
    made->socket = socket;
  }
}

int transport_serve(void) {
  for (uint32_t index = 0, state = 1; index < BLOCK; index++) {
    state = state * 1664525 + 1013904223;
    block[index] = (uint8_t)(state >> 24);
  }
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  events = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event accepts = {.events = EPOLLIN, .data.ptr = &accepts}, ends = {.events = EPOLLIN, .data.ptr = &ends};
  if (listener < 0 || events < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
      listen(listener, 1024) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0 ||
      epoll_ctl(events, EPOLL_CTL_ADD, listener, &accepts) != 0 ||
      epoll_ctl(events, EPOLL_CTL_ADD, STDIN_FILENO, &ends) != 0) {
    perror("the server of the benchmark");
    return 1;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  while (true) {
    struct epoll_event happened[64];
    int count = epoll_wait(events, happened, 64, -1);
    if (count < 0 && errno != EINTR) return 1;
    for (int index = 0; index < count; index++) {
      if (happened[index].data.ptr == &ends) return 0;
      if (happened[index].data.ptr == &accepts) {
        accept_all(listener);
        continue;
      }
      client *client = happened[index].data.ptr;
      if (!serve(client, happened[index].events)) {
        close(client->socket);
        free(client);
      }
    }
  }
}
// By hand: Foundation's Process closes descriptors that valgrind needs.
int transport_start(void) {
  char path[4096];
  ssize_t count = readlink("/proc/self/exe", path, sizeof path - 1);
  int input[2], output[2], port = -1;
  if (count < 0 || pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) return -1;
  path[count] = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  char *arguments[] = {path, "--serve", NULL}, *environment[] = {NULL};
  pid_t process;
  if (posix_spawn(&process, path, &actions, NULL, arguments, environment) == 0) {
    close(output[1]);
    FILE *lines = fdopen(output[0], "r");
    if (!lines || fscanf(lines, "%d", &port) != 1) port = -1;
  }
  posix_spawn_file_actions_destroy(&actions);
  return port;
}
#else
int transport_serve(void) { return 1; }
int transport_start(void) { return -1; }
#endif
