#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define CURL_DISABLE_TYPECHECK
#include "CCurl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// libcurl names no socket before the request is sent (CURLINFO_ACTIVESOCKET is -1 then), but it names the addresses of
// both ends. The open sockets are noted here, so that the one with these addresses can be found.

// A socket, and the addresses of its ends once they are known: those of an open connection do not change.
struct open_socket {
  int socket;
  bool is_known;
  int peer_port, own_port;
  // 0 while nobody's.
  uint64_t owner;
  char peer[INET6_ADDRSTRLEN], own[INET6_ADDRSTRLEN];
};

struct ccurl_sockets {
  size_t count, capacity;
  struct open_socket *open;
  // By the port of this end: the place of the socket that had it last, plus 1. Others may have the same port, to other
  // peers, and a place may have another socket since.
  int by_port[65536];
};

struct ccurl_sockets *ccurl_sockets_make(void) { return calloc(1, sizeof(struct ccurl_sockets)); }

static int on_socket(void *context, curl_socket_t socket, curlsocktype purpose) {
  (void)purpose;
  struct ccurl_sockets *sockets = context;
  // A program that this process starts must not keep the connection open.
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  if (sockets->count == sockets->capacity) {
    size_t capacity = sockets->capacity ? sockets->capacity * 2 : 64;
    struct open_socket *grown = realloc(sockets->open, capacity * sizeof *grown);
    if (!grown) {
      return CURL_SOCKOPT_ERROR;
    }
    sockets->open = grown;
    sockets->capacity = capacity;
  }
  sockets->open[sockets->count++] = (struct open_socket){.socket = socket};
  return CURL_SOCKOPT_OK;
}

static int on_close(void *context, curl_socket_t socket) {
  struct ccurl_sockets *sockets = context;
  for (size_t index = 0; index < sockets->count; index++) {
    if (sockets->open[index].socket == socket) {
      sockets->open[index] = sockets->open[--sockets->count];
      break;
    }
  }
  return close(socket);
}

CURLcode ccurl_sockets_observe(CURL *handle, struct ccurl_sockets *sockets) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, on_socket);
  if (!code) {
    code = curl_easy_setopt(handle, CURLOPT_SOCKOPTDATA, sockets);
  }
  if (!code) {
    code = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, on_close);
  }
  return code ? code : curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, sockets);
}

static bool has_address(const struct sockaddr_storage *address, const char *text, int port) {
  char own[INET6_ADDRSTRLEN] = "";
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    return ntohs(four->sin_port) == port && inet_ntop(AF_INET, &four->sin_addr, own, sizeof own) &&
           strcmp(own, text) == 0;
  }
  if (address->ss_family == AF_INET6) {
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    return ntohs(six->sin6_port) == port && inet_ntop(AF_INET6, &six->sin6_addr, own, sizeof own) &&
           strcmp(own, text) == 0;
  }
  return false;
}

static bool connects(
    struct open_socket *candidate, const char *peer, int peer_port, const char *own, int own_port) {
  if (candidate->is_known) {
    return candidate->own_port == own_port && candidate->peer_port == peer_port && strcmp(candidate->peer, peer) == 0 &&
           strcmp(candidate->own, own) == 0;
  }
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(candidate->socket, (struct sockaddr *)&address, &size) != 0 ||
      !has_address(&address, own, own_port)) {
    return false;
  }
  size = sizeof address;
  if (getpeername(candidate->socket, (struct sockaddr *)&address, &size) != 0) {
    // A connection that broke has no peer any more.
    return true;
  }
  if (!has_address(&address, peer, peer_port)) {
    return false;
  }
  candidate->is_known = true;
  candidate->peer_port = peer_port;
  candidate->own_port = own_port;
  // They fit: they are equal to the text of an address.
  strcpy(candidate->peer, peer);
  strcpy(candidate->own, own);
  return true;
}

static struct open_socket *find(
    struct ccurl_sockets *sockets, const char *peer, int peer_port, const char *own, int own_port) {
  int *last = &sockets->by_port[own_port & 0xFFFF];
  if (*last > 0 && (size_t)*last <= sockets->count &&
      connects(&sockets->open[*last - 1], peer, peer_port, own, own_port)) {
    return &sockets->open[*last - 1];
  }
  for (size_t index = 0; index < sockets->count; index++) {
    if (connects(&sockets->open[index], peer, peer_port, own, own_port)) {
      *last = (int)index + 1;
      return &sockets->open[index];
    }
  }
  return NULL;
}

bool ccurl_sockets_have_bytes(
    struct ccurl_sockets *sockets, const char *peer, int peer_port, const char *own, int own_port) {
  struct open_socket *found = find(sockets, peer, peer_port, own, own_port);
  char byte;
  // 0 is the end that the peer made. An error, unless nothing is there, is one that the request would meet.
  return found && (recv(found->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
                   (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR));
}

bool ccurl_sockets_claim(
    struct ccurl_sockets *sockets, const char *peer, int peer_port, const char *own, int own_port, uint64_t owner,
    bool is_new) {
  struct open_socket *found = find(sockets, peer, peer_port, own, own_port);
  if (!found) {
    return is_new;
  }
  if (is_new && found->owner == 0) {
    found->owner = owner;
  }
  return found->owner == owner;
}
