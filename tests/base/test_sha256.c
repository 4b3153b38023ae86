// SHA-256 against the published examples: FIPS 180-4 with its supplement "Examples with
// Intermediate Values" of NIST, and the digest of no bytes.
#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"

static void check_digest(const void *data, size_t size, const char *expected) {
  char text[HN_SHA256_TEXT];
  assert_string_equal(hn_sha256(data, size, text), expected);
}

static void short_messages_have_their_published_digests(void **state) {
  (void)state;
  const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  const char *long_text = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                          "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";
  check_digest("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  check_digest("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  check_digest(two_blocks, strlen(two_blocks),
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  check_digest(long_text, strlen(long_text),
               "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void a_million_letters_have_their_published_digest(void **state) {
  (void)state;
  size_t size = 1000000;
  char *letters = malloc(size);
  assert_non_null(letters);
  memset(letters, 'a', size);
  check_digest(letters, size, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  free(letters);
}

// The lengths at which the end mark needs a block more.
static void lengths_around_a_block_have_their_published_digests(void **state) {
  (void)state;
  char zeros[64] = {0};
  check_digest(zeros, 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7");
  check_digest(zeros, 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb");
  check_digest(zeros, 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_messages_have_their_published_digests),
      cmocka_unit_test(a_million_letters_have_their_published_digest),
      cmocka_unit_test(lengths_around_a_block_have_their_published_digests),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
