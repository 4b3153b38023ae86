// Status codes in words, from the one list in holon/base.h, and the version of the library.
#include "holon/base.h"

const char *hn_status_name(hn_status status) {
  switch (status) {
#define NAME(code, value, name, text)                                                              \
  case code: return name;
    HN_STATUS_LIST(NAME)
#undef NAME
  }
  return "unknown"; // a number that is no status, from a caller's cast
}

const char *hn_status_text(hn_status status) {
  switch (status) {
#define TEXT(code, value, name, text)                                                              \
  case code: return text;
    HN_STATUS_LIST(TEXT)
#undef TEXT
  }
  return "not a status of this library";
}

#define QUOTE(x) #x
#define QUOTE_VALUE(x) QUOTE(x)

const char *hn_version(void) {
  return QUOTE_VALUE(HN_VERSION_MAJOR) "." QUOTE_VALUE(HN_VERSION_MINOR) "." QUOTE_VALUE(
      HN_VERSION_PATCH);
}
