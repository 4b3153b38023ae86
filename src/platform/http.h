// A small HTTP server for this machine only.
#ifndef HN_PLATFORM_HTTP_H
#define HN_PLATFORM_HTTP_H

#include "holon/base.h"

typedef struct hn_http_file {
  const char *path; // "/scene.json"
  const char *type; // "application/json"
  const char *data;
  size_t size;
} hn_http_file;

#define HN_HTTP_TOKEN 33
// A secret for the address, in hexadecimal digits: 0 if none can be generated.
int hn_http_token(char token[HN_HTTP_TOKEN], hn_error *error);
// Opens 127.0.0.1 at the port, 0: any that is free. *port is the one it got; the socket is returned,
// -1 on failure.
int hn_http_open(int *port, hn_error *error);
// Answers until is_over says so, and closes the socket. Only the paths listed, only GET and HEAD, only
// to this machine. HN_ERROR_MEMORY; HN_ERROR_UNSUPPORTED where there are no sockets.
hn_status hn_http_run(int socket, int port, const hn_http_file *files, int count,
                      int (*is_over)(void));

#endif
