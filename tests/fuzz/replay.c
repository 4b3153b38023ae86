// The corpus of a target without libFuzzer: every file of the folders given, once. Any compiler builds
// it, and `make test` runs it.
#include <dirent.h>

#include "replay.h"
#include "target.h"

enum { MOST = 1 << 24 };

static int count;

static void replay_file(fuzz_target_function *target, const char *path) {
  FILE *file = fopen(path, "rb");
  PROMISE(file != NULL);
  unsigned char *all = malloc(MOST);
  PROMISE(all != NULL);
  size_t size = fread(all, 1, MOST, file);
  fclose(file);
  unsigned char *exact = malloc(size ? size : 1); // no byte behind it
  PROMISE(exact != NULL);
  memcpy(exact, all, size);
  free(all);
  target(exact, size);
  free(exact);
  count++;
}

static void replay(fuzz_target_function *target, const char *path) {
  struct stat what;
  if (stat(path, &what) != 0) return;
  if (!S_ISDIR(what.st_mode)) {
    replay_file(target, path);
    return;
  }
  DIR *folder = opendir(path);
  PROMISE(folder != NULL);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char inside[1024];
    if (entry->d_name[0] == '.') continue;
    snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
    replay(target, inside);
  }
  closedir(folder);
}

int fuzz_replay(fuzz_target_function *target, int argc, char **argv) {
  for (int k = 1; k < argc; k++) replay(target, argv[k]);
  printf("%d inputs\n", count);
  return count > 0 ? 0 : 1;
}
