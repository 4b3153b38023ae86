// The page of `holon compare`: what compare.json tells; the page draws it.
#include "compare.h"
#include "page.h"

void hn_cli_add_compare_page(hn_cli_text *text, const hn_cli_session *session,
                             const hn_cli_comparison *c) {
  hn_cli_json json = {0}, facts = {0};
  hn_cli_page_begin(&json, "compare", session);
  hn_cli_add_compare_json(&facts, session, c);
  hn_json_raw(&json, "compare", facts.text.data);
  hn_json_integer(&json, "formulations", c->formulation_count);
  hn_cli_page_end(&json, NULL, text);
  hn_string_free(&facts.text);
}
