// HTTP/1.1 on 127.0.0.1 for the viewer: GET and HEAD of a fixed list of paths from memory.
//
// No path ever reaches the file system. A request must name this host (Host: 127.0.0.1 or
// localhost), so that no other site can read results through the browser. One loop over poll; every
// answer closes its connection.
#define _DEFAULT_SOURCE
#include "platform/http.h"

#include "base/arena.h"
#include "base/error.h"

#if defined(__unix__) || defined(__APPLE__)

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_clients = 64, most_request = 8192, patience = 10 /* s */ };
// Bytes of the secret in the address: who cannot read it cannot guess it.
enum { token_bytes = 16 };

int hn_http_open(int *port, hn_error *error) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  int is_open = listener >= 0 &&
                setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                bind(listener, (struct sockaddr *)&address, size) == 0 &&
                listen(listener, most_clients) == 0 &&
                getsockname(listener, (struct sockaddr *)&address, &size) == 0 &&
                fcntl(listener, F_SETFL, O_NONBLOCK) == 0;
  if (is_open) {
    *port = ntohs(address.sin_port);
    return listener;
  }
  hn_fail(error, HN_ERROR_FILE, NULL, NULL,
          errno == EADDRINUSE ? "Give another @port, or omit it."
                              : "Write a page instead: @html FILE.",
          "cannot serve on 127.0.0.1 port %d: %s", *port, strerror(errno));
  if (listener >= 0) close(listener);
  return -1;
}

int hn_http_token(char token[HN_HTTP_TOKEN], hn_error *error) {
  unsigned char bytes[token_bytes];
  FILE *source = fopen("/dev/urandom", "rb");
  size_t got = source != NULL ? fread(bytes, 1, sizeof bytes, source) : 0;
  if (source != NULL) fclose(source);
  if (got != sizeof bytes) {
    hn_fail(error, HN_ERROR_FILE, NULL, NULL, "Write a page instead: @html FILE.",
            "the system provides no random numbers for the address");
    return 0;
  }
  for (int k = 0; k < token_bytes; k++) snprintf(token + 2 * k, 3, "%02x", bytes[k]);
  return 1;
}

// ---- one client ---------------------------------------------------------------------------------

typedef struct client {
  int socket;
  time_t since;
  unsigned long order; // of its coming
  char request[most_request + 1];
  size_t received;
  char head[512];
  size_t head_size, sent; // sent: of head and body together
  const char *body;
  size_t body_size;
} client;

static void answer(client *c, int code, const char *reason, const char *type, const char *body,
                   size_t size, int with_body) {
  c->head_size = (size_t)snprintf(
      c->head, sizeof c->head,
      "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Content-Security-Policy: default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' data: blob:\r\n"
      "Connection: close\r\n\r\n",
      code, reason, type, size);
  c->body = body;
  c->body_size = with_body ? size : 0;
  c->sent = 0;
}

static void refuse(client *c, int code, const char *reason) {
  answer(c, code, reason, "text/plain; charset=utf-8", reason, strlen(reason), 1);
}

// 127.0.0.1[:port] or localhost[:port], and nothing else on the line.
static int is_this_host(const char *host, int port) {
  char wanted[2][40];
  snprintf(wanted[0], sizeof wanted[0], "127.0.0.1:%d", port);
  snprintf(wanted[1], sizeof wanted[1], "localhost:%d", port);
  host += strspn(host, " \t");
  size_t length = strcspn(host, "\r\n");
  while (length > 0 && (host[length - 1] == ' ' || host[length - 1] == '\t')) length--;
  for (int k = 0; k < 2; k++)
    if ((length == strlen(wanted[k]) || length == strcspn(wanted[k], ":")) &&
        strncasecmp(host, wanted[k], length) == 0)
      return 1;
  return 0;
}

// One Host header, which is this host: of two, a browser and this server might not mean the same.
static int names_this_host(const char *request, int port) {
  int count = 0;
  for (const char *line = request; (line = strstr(line, "\r\n")) != NULL;) {
    line += 2;
    if (strncasecmp(line, "host", 4) != 0 || line[4 + strspn(line + 4, " \t")] != ':') continue;
    if (line[4] != ':' || !is_this_host(line + 5, port)) return 0;
    count++;
  }
  return count == 1;
}

static void respond(client *c, int port, const hn_http_file *files, int count) {
  char method[8] = "", target[1024] = "", version[16] = "";
  int is_read = sscanf(c->request, "%7s %1023s %15s", method, target, version) == 3;
  if (!is_read || strncmp(version, "HTTP/1.", 7) != 0 || target[0] != '/') {
    refuse(c, 400, "Bad Request");
    return;
  }
  int is_head = strcmp(method, "HEAD") == 0;
  if (!is_head && strcmp(method, "GET") != 0) {
    refuse(c, 405, "Method Not Allowed");
    return;
  }
  if (!names_this_host(c->request, port)) {
    refuse(c, 403, "Forbidden: use the address 127.0.0.1");
    return;
  }
  target[strcspn(target, "?#")] = '\0';
  for (int k = 0; k < count; k++) {
    if (strcmp(target, files[k].path) != 0) continue;
    answer(c, 200, "OK", files[k].type, files[k].data, files[k].size, !is_head);
    return;
  }
  refuse(c, 404, "Not Found");
}

// 0 when the connection is over.
static int receive(client *c, int port, const hn_http_file *files, int count) {
  ssize_t got = recv(c->socket, c->request + c->received, most_request - c->received, 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return 0;
  c->received += (size_t)got;
  c->request[c->received] = '\0';
  if (strstr(c->request, "\r\n\r\n") != NULL) {
    respond(c, port, files, count);
  } else if (c->received == most_request) {
    refuse(c, 431, "Request Header Fields Too Large: shorten them");
  }
  return 1;
}

static int transmit(client *c) {
  int in_head = c->sent < c->head_size;
  const char *from = in_head ? c->head + c->sent : c->body + (c->sent - c->head_size);
  size_t left = in_head ? c->head_size - c->sent : c->body_size - (c->sent - c->head_size);
  if (left == 0) return 0;
  ssize_t put = send(c->socket, from, left, MSG_NOSIGNAL);
  if (put < 0) return errno == EAGAIN || errno == EINTR;
  c->sent += (size_t)put;
  c->since = time(NULL);
  return c->sent < c->head_size + c->body_size;
}

// ---- the loop -----------------------------------------------------------------------------------

static void drop(client *c) {
  shutdown(c->socket, SHUT_WR);
  close(c->socket);
  c->socket = -1;
}

// A free place, or that of the oldest connection without a request: idle connections do not block
// others. Null when all are being answered.
static client *find_place(client *clients) {
  client *oldest = NULL;
  for (int k = 0; k < most_clients; k++) {
    client *c = &clients[k];
    if (c->socket < 0) return c;
    if (c->head_size == 0 && (oldest == NULL || c->order < oldest->order)) oldest = c;
  }
  if (oldest != NULL) drop(oldest);
  return oldest;
}

static void welcome(int listener, client *clients, unsigned long order) {
  int socket = accept(listener, NULL, NULL);
  if (socket < 0) return;
  fcntl(socket, F_SETFL, O_NONBLOCK);
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  client *c = find_place(clients);
  if (c == NULL) {
    close(socket);
    return;
  }
  c->socket = socket;
  c->since = time(NULL);
  c->order = order;
  c->received = c->head_size = 0;
}

hn_status hn_http_run(int listener, int port, const hn_http_file *files, int count,
                      int (*is_over)(void)) {
  client *clients = hn_allocate(NULL, most_clients * sizeof *clients);
  unsigned long order = 0;
  if (clients == NULL) return HN_ERROR_MEMORY;
  memset(clients, 0, most_clients * sizeof *clients);
  for (int k = 0; k < most_clients; k++) clients[k].socket = -1;
  while (!is_over()) {
    struct pollfd wait[most_clients + 1] = {{.fd = listener, .events = POLLIN}};
    for (int k = 0; k < most_clients; k++) {
      client *c = &clients[k];
      wait[k + 1].fd = c->socket;
      wait[k + 1].events = c->head_size > 0 ? POLLOUT : POLLIN;
    }
    if (poll(wait, most_clients + 1, 1000) < 0) continue;
    for (int k = 0; k < most_clients; k++) {
      client *c = &clients[k];
      if (c->socket < 0) continue;
      int goes_on = time(NULL) - c->since < patience;
      if (wait[k + 1].revents & POLLOUT) goes_on = transmit(c);
      if (wait[k + 1].revents & POLLIN) goes_on = receive(c, port, files, count);
      if (wait[k + 1].revents & (POLLERR | POLLNVAL)) goes_on = 0;
      if (!goes_on) drop(c);
    }
    if (wait[0].revents & POLLIN) welcome(listener, clients, ++order);
  }
  for (int k = 0; k < most_clients; k++) {
    if (clients[k].socket >= 0) drop(&clients[k]);
  }
  close(listener);
  hn_release(NULL, clients);
  return HN_OK;
}

#else

int hn_http_token(char token[HN_HTTP_TOKEN], hn_error *error) {
  token[0] = '\0';
  hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "Write a page instead: @html FILE.",
          "this system has no sockets");
  return 0;
}

int hn_http_open(int *port, hn_error *error) {
  (void)port;
  hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "Write a page instead: @html FILE.",
          "this system has no sockets");
  return -1;
}

hn_status hn_http_run(int socket, int port, const hn_http_file *files, int count,
                      int (*is_over)(void)) {
  (void)socket;
  (void)port;
  (void)files;
  (void)count;
  (void)is_over;
  return HN_ERROR_UNSUPPORTED;
}

#endif
