// SHA-256 by FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3 and 6.2. Only for bytes that are all in
// memory.
#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 64

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u,
    0xab1c5ed5u, 0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu,
    0x9bdc06a7u, 0xc19bf174u, 0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu,
    0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u,
    0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu,
    0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u, 0xa2bfe8a1u, 0xa81a664bu,
    0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u,
    0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u,
    0xc67178f2u};

static uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

static uint32_t big_endian(const unsigned char *b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}

static void add_block(uint32_t hash[8], const unsigned char *block) {
  uint32_t w[64];
  for (int t = 0; t < 16; t++) w[t] = big_endian(block + 4 * t);
  for (int t = 16; t < 64; t++) {
    uint32_t x = w[t - 15], y = w[t - 2];
    w[t] = w[t - 16] + w[t - 7] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) +
           (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
  }
  // the letters of the standard
  uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3];
  uint32_t e = hash[4], f = hash[5], g = hash[6], h = hash[7];
  for (int t = 0; t < 64; t++) {
    uint32_t choice = (e & f) ^ (~e & g), majority = (a & b) ^ (a & c) ^ (b & c);
    uint32_t first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + constants[t] + w[t];
    uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
    h = g, g = f, f = e, e = d + first;
    d = c, c = b, b = a, a = first + second;
  }
  const uint32_t more[8] = {a, b, c, d, e, f, g, h};
  for (int k = 0; k < 8; k++) hash[k] += more[k];
}

const char *hn_sha256(const void *data, size_t size, char text[HN_SHA256_TEXT]) {
  uint32_t hash[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                      0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
  const unsigned char *bytes = data;
  size_t whole = size / BLOCK * BLOCK, rest = size - whole;
  for (size_t at = 0; at < whole; at += BLOCK) add_block(hash, bytes + at);
  // a one bit, zeros, and the number of bits in the last eight bytes
  unsigned char last[2 * BLOCK] = {0};
  size_t length = rest + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
  if (rest > 0) memcpy(last, bytes + whole, rest);
  last[rest] = 0x80;
  uint64_t bits = (uint64_t)size * 8;
  for (size_t k = 0; k < 8; k++) last[length - 1 - k] = (unsigned char)(bits >> (8 * k));
  for (size_t at = 0; at < length; at += BLOCK) add_block(hash, last + at);
  for (int k = 0; k < 64; k++) text[k] = "0123456789abcdef"[hash[k / 8] >> (28 - 4 * (k % 8)) & 15];
  text[64] = '\0';
  return text;
}
