// A small HTTP server for this machine only.
#ifndef HN_CLI_SERVER_H
#define HN_CLI_SERVER_H

#include "cli.h"

typedef struct hn_cli_served {
  const char *path; // "/scene.json"
  const char *type; // "application/json"
  const char *data;
  size_t size;
} hn_cli_served;

#define HN_CLI_TOKEN 33
// A secret for the address, in hexadecimal digits: 0 when there is none to be had.
int hn_cli_server_token(char token[HN_CLI_TOKEN], hn_error *error);
// Opens 127.0.0.1 at the port, 0: any that is free. *port is the one it got; the socket is returned,
// -1 on failure.
int hn_cli_server_open(int *port, hn_error *error);
// Answers until Ctrl-C (or SIGTERM). Only the paths listed, only GET and HEAD, only to this
// machine.
void hn_cli_server_run(int socket, int port, const hn_cli_served *files, int count);

#endif
