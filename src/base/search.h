// Searching in ascending numbers.
#ifndef HN_BASE_SEARCH_H
#define HN_BASE_SEARCH_H

// The first place from low to high (excluded) whose number is not below value; high: no such
// number.
static inline int hn_first_from(const int *numbers, int low, int high, int value) {
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (numbers[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif
