/* library_host LIBRARY WHAT FATBINARY...: a program without CUDA that loads a library with it
 * (runtime_host.c). */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = argc < 2 ? NULL : dlopen(argv[1], RTLD_NOW);
  int (*run)(int, char**) = library == NULL ? NULL : (int (*)(int, char**))dlsym(library, "run_host");
  if (run != NULL) return run(argc - 1, argv + 1);
  puts(dlerror());
  return 1;
}
