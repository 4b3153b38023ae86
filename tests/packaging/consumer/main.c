// The smallest program of a user: the library is the one of these headers, and it works.
#include <holon/holon.h>

#include <stdio.h>
#include <string.h>

int main(void) {
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", HN_VERSION_MAJOR, HN_VERSION_MINOR,
           HN_VERSION_PATCH);
  if (strcmp(version, hn_version()) != 0) return 1;

  hn_model *model = NULL;
  if (hn_model_create(NULL, &model) != HN_OK) return 1;
  hn_body_def body = hn_default_body();
  body.name = "bob";
  body.mass = 1;
  hn_status status = hn_model_add_body(model, &body, NULL);
  hn_model_free(model);
  printf("holon %s: %s\n", hn_version(), hn_status_text(status));
  return status == HN_OK ? 0 : 1;
}
