// The words of a formula: numbers, names, operators. Stateless: a token is found from a position.
//
// Numbers do not depend on the locale. Out of scope: what names mean (expression.c).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/expression_code.h"

// By hand instead of <ctype.h>, which depends on the locale.
static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 128;
}
static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static int is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; } // of UTF-8

static size_t digits(const char *text, size_t length, size_t from) {
  size_t end = from;
  while (end < length && is_digit(text[end])) end++;
  return end - from;
}

// Bytes of "12", "12.", "12.5e-3", ".5"; 0 if text does not start with a number.
static size_t number_length(const char *text, size_t length) {
  size_t whole = digits(text, length, 0), end = whole, fraction = 0;
  if (end < length && text[end] == '.') {
    fraction = digits(text, length, end + 1);
    end += 1 + fraction;
  }
  if (whole + fraction == 0) return 0;
  if (end < length && (text[end] == 'e' || text[end] == 'E')) {
    size_t from = end + 1;
    if (from < length && (text[from] == '+' || text[from] == '-')) from++;
    size_t exponent = digits(text, length, from);
    if (exponent > 0) end = from + exponent;
  }
  return end;
}

size_t hn_number_read(const char *text, size_t length, double *value) {
  size_t size = number_length(text, length);
  *value = size > HN_NUMBER_LENGTH ? HUGE_VAL : 0;
  if (size == 0 || size > HN_NUMBER_LENGTH) return size;

  // strtod wants the decimal point of the locale; printing a number shows it.
  char probe[16];
  snprintf(probe, sizeof probe, "%.1f", 1.5);
  size_t point_length = strlen(probe) > 2 ? strlen(probe) - 2 : 0;
  char buffer[HN_NUMBER_LENGTH + sizeof probe];
  size_t end = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '.') {
      memcpy(buffer + end, probe + 1, point_length);
      end += point_length;
    } else {
      buffer[end++] = text[i];
    }
  }
  buffer[end] = '\0';
  *value = strtod(buffer, NULL);
  return size;
}

// Letters, digits and underscores, with single dots inside.
static size_t name_length(const char *text, size_t length) {
  if (length == 0 || !is_letter(text[0])) return 0;
  size_t end = 1;
  while (end < length) {
    size_t next = text[end] == '.' ? end + 1 : end;
    if (next >= length || !(is_letter(text[next]) || is_digit(text[next]))) break;
    end = next + 1;
  }
  return end;
}

typedef struct spelling {
  const char *text;
  hn_token_kind kind;
} spelling;

static const spelling keywords[] = {{"if", HN_TOKEN_IF},
                                    {"else", HN_TOKEN_ELSE},
                                    {"not", HN_TOKEN_NOT},
                                    {"and", HN_TOKEN_AND},
                                    {"or", HN_TOKEN_OR}};

// Longer spellings before their beginnings.
static const spelling operators[] = {
    {"<=", HN_TOKEN_LESS_EQUAL}, {">=", HN_TOKEN_GREATER_EQUAL}, {"==", HN_TOKEN_EQUAL},
    {"!=", HN_TOKEN_NOT_EQUAL},  {"<", HN_TOKEN_LESS},           {">", HN_TOKEN_GREATER},
    {"+", HN_TOKEN_PLUS},        {"-", HN_TOKEN_MINUS},          {"*", HN_TOKEN_TIMES},
    {"/", HN_TOKEN_DIVIDE},      {"^", HN_TOKEN_POWER},          {"(", HN_TOKEN_OPEN},
    {")", HN_TOKEN_CLOSE},       {",", HN_TOKEN_COMMA}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static hn_token_kind name_kind(const char *text, size_t length) {
  for (size_t i = 0; i < COUNT(keywords); i++)
    if (strlen(keywords[i].text) == length && memcmp(keywords[i].text, text, length) == 0)
      return keywords[i].kind;
  return HN_TOKEN_NAME;
}

static hn_token operator_token(const char *text, size_t length, size_t start) {
  for (size_t i = 0; i < COUNT(operators); i++) {
    size_t size = strlen(operators[i].text);
    if (size <= length - start && memcmp(operators[i].text, text + start, size) == 0)
      return (hn_token){operators[i].kind, start, size, 0};
  }
  return (hn_token){HN_TOKEN_FOREIGN, start, 1, 0}; // never part of UTF-8: those bytes are letters
}

hn_token hn_token_next(const char *text, size_t length, size_t position) {
  size_t start = position;
  while (start < length && is_blank(text[start])) start++;
  if (start >= length) return (hn_token){HN_TOKEN_END, length, 0, 0};

  double number;
  size_t size = hn_number_read(text + start, length - start, &number);
  if (size > 0) return (hn_token){HN_TOKEN_NUMBER, start, size, number};

  size = name_length(text + start, length - start);
  if (size > 0) return (hn_token){name_kind(text + start, size), start, size, 0};

  return operator_token(text, length, start);
}

int hn_token_column(const char *text, size_t position) {
  int column = 1;
  for (size_t i = 0; i < position; i++)
    if (!is_continuation(text[i])) column++;
  return column;
}

int hn_expression_is_name(const char *text, size_t length) {
  return length > 0 && name_length(text, length) == length &&
         name_kind(text, length) == HN_TOKEN_NAME;
}
