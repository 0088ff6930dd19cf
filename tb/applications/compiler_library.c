/* Stands for NVIDIA's run-time compiler (libnvrtc.so.13): a program is the name of a file of PTX, and what
   was made for the machine is of no use here. */
#include <stdio.h>
#include <string.h>

/* A jump has room in each, as it has in the real ones. */
#define CALL __attribute__((aligned(16), noinline)) int

static const char machine_code[] = "machine code";

CALL nvrtcGetCUBINSize(const char* program, size_t* bytes) {
  *bytes = sizeof machine_code;
  return program == NULL;
}
CALL nvrtcGetCUBIN(const char* program, char* to) {
  memcpy(to, machine_code, sizeof machine_code);
  return program == NULL;
}
CALL nvrtcGetPTXSize(const char* program, size_t* bytes) {
  FILE* file = fopen(program, "rb");
  if (file == NULL) return 1;
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file) + 1;
  return fclose(file);
}
CALL nvrtcGetPTX(const char* program, char* to) {
  FILE* file = fopen(program, "rb");
  size_t bytes = 0;
  if (file == NULL || nvrtcGetPTXSize(program, &bytes) != 0) return 1;
  to[fread(to, 1, bytes - 1, file)] = '\0';
  return fclose(file);
}
