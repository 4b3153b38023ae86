// Random bytes for expat where it is linked in: libexpat.a asks for a function that the C library has
// from 2.36 on only, and the extension is to be loaded by older ones too.
#include <stddef.h>
#include <sys/random.h>

void arc4random_buf(void *buffer, size_t size);

__attribute__((visibility("hidden"))) void arc4random_buf(void *buffer, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t got = getrandom((char *)buffer + done, size - done, 0);
    if (got > 0) done += (size_t)got;
  }
}
