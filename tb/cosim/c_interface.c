/* The C interface, used from C. c_interface CASE [NETLIST]: each case is a process of its own, as SystemC wants. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "platforms/engine/c_api/strata_c.h"

static const char* netlist = "tb/cosim/behind.yaml";
static int failures;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      printf("FAILED: line %d: %s\n", __LINE__, #condition);                  \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

static strata_platform* opened(const char* const* sets, size_t count) {
  strata_platform* p = NULL;
  char error[2000];
  if (strata_open(netlist, sets, count, &p, error, sizeof error) != STRATA_OK) {
    printf("FAILED: open: %s\n", error);
    exit(1);
  }
  return p;
}

static uint32_t state = 12345;
static uint32_t below(uint32_t n) {
  state = state * 1664525u + 1013904223u;
  return (uint32_t)(((uint64_t)state * n) >> 32);
}

/* One load at a time: cycles that are known from the blocks' pages. */
static void latency(void) {
  strata_platform* p = opened(NULL, 0);
  strata_request r = {7, 0x1000, 32, STRATA_LOAD, NULL, NULL};
  strata_reply reply;
  uint8_t data[32];
  uint64_t miss, hit;
  CHECK(strata_ports(p) == 2);
  CHECK(strata_next(p) == UINT64_MAX);
  CHECK(strata_tick(p, 10) == STRATA_OK);
  CHECK(strata_now(p) == 10);
  CHECK(strata_push(p, 0, &r) == STRATA_OK);
  CHECK(strata_next(p) == 10); /* sent in the present cycle */
  while (strata_poll(p, 0, &reply, data, sizeof data) == STRATA_NOT_NOW) CHECK(strata_tick(p, 1) == STRATA_OK);
  CHECK(reply.id == 7 && reply.pushed_cycle == 10 && reply.bytes == 32 && reply.failed == 0);
  miss = reply.done_cycle - reply.pushed_cycle;
  CHECK(miss > 120 + 28); /* the slice's latency and more */
  CHECK(strata_now(p) == reply.done_cycle + 1);
  r.id = 8;
  CHECK(strata_push(p, 0, &r) == STRATA_OK);
  CHECK(strata_tick(p, 100) == STRATA_OK);
  CHECK(strata_poll(p, 0, &reply, data, sizeof data) == STRATA_OK);
  hit = reply.done_cycle - reply.pushed_cycle;
  CHECK(hit == 28); /* latency of an L1 hit: docs/blocks/l1.md */
  CHECK(strata_poll(p, 0, &reply, data, sizeof data) == STRATA_NOT_NOW);
  CHECK(strata_finish(p) == STRATA_OK);
  strata_close(p);
}

/* 30 % stores with strobes against an image in this program: every byte that comes back is right. Where accesses carry bytes, each port has a
   half of the addresses: the L1s in front of them do not hear of each other's stores. */
static void carried(uint64_t step, int print, const char* data_of_run) {
  enum { size = 1 << 16, most = 20000 };
  static uint8_t image[size], expected[200][600];
  static uint32_t bytes_of[200];
  int busy[size / 128] = {0};
  uint64_t wrong = 0, done = 0, pushed = 0;
  const int apart = data_of_run != NULL;
  strata_platform* p = opened(&data_of_run, apart ? 1 : 0);
  uint8_t data[600], strobes[600];
  strata_reply reply;
  char digest[17];
  for (uint32_t i = 0; i < size; ++i) image[i] = (uint8_t)(i * 31 + 7);
  CHECK(strata_poke(p, 0, 0, image, size) == STRATA_OK);
  while (done < most) {
    for (int port = 0; port < 2; ++port) {
      while (strata_poll(p, port, &reply, data, sizeof data) == STRATA_OK) {
        const uint32_t slot = (uint32_t)(reply.id % 200), line = (uint32_t)(reply.id / 200) % (size / 128);
        const uint32_t lines = (uint32_t)(reply.id / 200 / (size / 128)) % 8;
        if (reply.operation == STRATA_LOAD) {
          CHECK(reply.bytes == bytes_of[slot]);
          for (uint32_t i = 0; i < reply.bytes; ++i) wrong += data[i] != expected[slot][i];
        }
        for (uint32_t l = 0; l < lines; ++l) busy[line + l] = 0;
        bytes_of[slot] = 0;
        ++done;
        if (print) printf("%d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", port, reply.id, reply.pushed_cycle, reply.done_cycle);
      }
    }
    for (int port = 0; port < 2; ++port) {
      /* Skips lines with an access in flight: the order of two accesses to a line is undefined. */
      if (pushed < most && strata_now(p) % 16 == (uint64_t)port) {
        strata_request r = {0, 0, 0, STRATA_LOAD, data, strobes};
        uint32_t slot = 0, first, last, free = 1;
        r.bytes = 1 + below(600);
        r.address = below(size - 600) & ~1u;
        if (apart) r.address = r.address / 2 + (uint64_t)port * (size / 2);
        if (r.address / 4096 != (r.address + r.bytes - 1) / 4096) continue;
        first = (uint32_t)(r.address / 128), last = (uint32_t)((r.address + r.bytes - 1) / 128);
        for (uint32_t l = first; l <= last; ++l) free = free && !busy[l];
        while (slot < 200 && bytes_of[slot] != 0) ++slot;
        if (!free || slot == 200) continue;
        if (below(10) < 3) r.operation = STRATA_STORE;
        for (uint32_t i = 0; i < r.bytes; ++i) data[i] = (uint8_t)below(256), strobes[i] = (uint8_t)below(2);
        r.id = slot + 200ull * first + 200ull * (size / 128) * (last - first + 1);
        if (strata_push(p, port, &r) != STRATA_OK) continue;
        ++pushed;
        bytes_of[slot] = r.bytes;
        memcpy(expected[slot], image + r.address, r.bytes);
        for (uint32_t l = first; l <= last; ++l) busy[l] = 1;
        if (r.operation == STRATA_STORE)
          for (uint32_t i = 0; i < r.bytes; ++i)
            if (strobes[i]) image[r.address + i] = data[i];
      }
    }
    /* In steps of 1, or at once to where something is to be done: the same requests in the same cycles. */
    if (step == 1)
      CHECK(strata_tick(p, 1) == STRATA_OK);
    else
      CHECK(strata_tick(p, 16 - strata_now(p) % 16 > 1 && strata_now(p) % 16 != 0 ? 16 - strata_now(p) % 16 : 1) == STRATA_OK);
  }
  CHECK(wrong == 0);
  static uint8_t memory[size];
  CHECK(strata_peek(p, 1, 0, memory, size) == STRATA_OK);
  CHECK(memcmp(memory, image, size) == 0);
  CHECK(strata_tick(p, 1000000 - strata_now(p)) == STRATA_OK); /* both end in the same cycle */
  CHECK(strata_finish(p) == STRATA_OK);
  CHECK(strata_digest(p, digest) == STRATA_OK);
  if (print) printf("digest %s\n", digest);
}

static void arguments(void) {
  strata_platform* p = NULL;
  char error[4000], small[8];
  const char* bad[] = {"llc.ways=0", "l1.sise=4 KiB"};
  const char* late[] = {"run.seed=2"};
  strata_request r = {1, 4090, 8, STRATA_LOAD, NULL, NULL};
  strata_reply reply;
  uint8_t byte;
  uint64_t value;
  CHECK(strata_open("no_such_file.yaml", NULL, 0, &p, error, sizeof error) == STRATA_BAD_NETLIST && p == NULL);
  CHECK(strstr(error, "no_such_file.yaml") != NULL);
  CHECK(strata_open(netlist, bad, 2, &p, error, sizeof error) == STRATA_BAD_NETLIST);
  CHECK(strstr(error, "llc.ways") != NULL && strstr(error, "did you mean 'size'") != NULL);
  CHECK(strata_open(netlist, bad, 2, &p, small, sizeof small) == STRATA_BAD_NETLIST && strlen(small) == 7);
  CHECK(strata_open(NULL, NULL, 0, &p, error, sizeof error) == STRATA_BAD_ARGUMENT);
  CHECK(strata_open(netlist, NULL, 0, NULL, NULL, 0) == STRATA_BAD_ARGUMENT);
  CHECK(strata_open("tiny", NULL, 0, &p, error, sizeof error) == STRATA_BAD_NETLIST);
  CHECK(strstr(error, "cta_dispatcher") != NULL);
  CHECK(strata_open("isca19/traffic_shared", NULL, 0, &p, error, sizeof error) == STRATA_BAD_NETLIST);
  CHECK(strstr(error, "no outside_port") != NULL);
  p = opened(NULL, 0);
  CHECK(strcmp(strata_error(p), "") == 0);
  CHECK(strata_push(p, 2, &r) == STRATA_BAD_ARGUMENT && strcmp(strata_error(p), "no port 2; there are 2, counted from 0") == 0);
  CHECK(strata_push(p, 0, NULL) == STRATA_BAD_ARGUMENT);
  CHECK(strata_push(p, 0, &r) == STRATA_BAD_ARGUMENT);
  CHECK(strcmp(strata_error(p),
               "push: 8 bytes from address 4090; allowed: 1 to 4096 bytes that cross no multiple of 4096") == 0);
  r.bytes = 0;
  CHECK(strata_push(p, 0, &r) == STRATA_BAD_ARGUMENT);
  r.bytes = 4, r.operation = STRATA_STORE;
  CHECK(strata_push(p, 0, &r) == STRATA_BAD_ARGUMENT && strcmp(strata_error(p), "push: a store without data") == 0);
  r.operation = 3;
  CHECK(strata_push(p, 0, &r) == STRATA_BAD_ARGUMENT);
  CHECK(strata_poll(p, 0, NULL, NULL, 0) == STRATA_BAD_ARGUMENT);
  CHECK(strata_peek(p, -1, 0, &byte, 1) == STRATA_BAD_ARGUMENT);
  CHECK(strata_statistic(p, "llc[0]", "hitz", &value) == STRATA_UNKNOWN);
  CHECK(strstr(strata_error(p), "did you mean 'hits'") != NULL);
  CHECK(strata_statistic(p, "llc", "hits", &value) == STRATA_UNKNOWN);
  CHECK(strata_tick(NULL, 1) == STRATA_BAD_ARGUMENT);
  r.operation = STRATA_LOAD;
  CHECK(strata_push(p, 0, &r) == STRATA_OK);
  CHECK(strata_finish(p) == STRATA_UNFINISHED && strstr(strata_error(p), "never got a reply") != NULL);
  CHECK(strata_tick(p, 1000) == STRATA_OK);
  CHECK(strata_poll(p, 0, &reply, &byte, 1) == STRATA_BAD_ARGUMENT);
  CHECK(strcmp(strata_error(p), "poll: the reply has 4 bytes, but `data` has only 1") == 0);
  CHECK(strata_statistic(p, "port[0]", "replies", &value) == STRATA_OK && value == 1);
  CHECK(strata_open(netlist, late, 1, &p, error, sizeof error) == STRATA_TOO_LATE);
  CHECK(strstr(error, "in use already") != NULL);
}

/* Two platforms share time, and nothing else. */
static void two(void) {
  const char* seed[] = {"llc.latency=50"};
  strata_platform* a = opened(NULL, 0);
  strata_platform* b = opened(seed, 1);
  strata_request r = {1, 0, 4, STRATA_LOAD, NULL, NULL};
  strata_reply first, second;
  uint8_t data[4];
  uint64_t value;
  CHECK(strata_push(a, 0, &r) == STRATA_OK);
  CHECK(strata_push(b, 0, &r) == STRATA_OK);
  CHECK(strata_tick(a, 600) == STRATA_OK);
  CHECK(strata_now(b) == 600);
  CHECK(strata_poll(a, 0, &first, data, 4) == STRATA_OK);
  CHECK(strata_poll(b, 0, &second, data, 4) == STRATA_OK);
  CHECK(first.done_cycle - second.done_cycle == 70); /* the slice's latency: 120 and 50 */
  CHECK(strata_tick(b, 10) == STRATA_OK && strata_now(a) == 610);
  strata_close(a);
  CHECK(strata_tick(b, 10) == STRATA_OK);
  CHECK(strata_statistic(b, "llc[0]", "accesses", &value) == STRATA_OK);
  CHECK(strata_finish(b) == STRATA_OK);
}

/* 1400 MHz has 14 000 000 edges in 10 ms, 924 MHz has 9 240 000. */
static void edges(void) {
  const char* set[] = {"clocks.core=1400 MHz"};
  strata_platform* p = opened(set, 1);
  const uint64_t ten_ms = 10000000000000ULL;
  uint64_t at = 1, cycle = 1;
  CHECK(strata_edge(p, "core", 0, &at) == STRATA_OK && at == 0);
  CHECK(strata_edge(p, "core", 1, &at) == STRATA_OK && at == 714286); /* 714285.7 */
  CHECK(strata_edge(p, "core", 7, &at) == STRATA_OK && at == 5000000);
  CHECK(strata_edge(p, "core", 14000000, &at) == STRATA_OK && at == ten_ms);
  CHECK(strata_edge(p, "dram", 9240000, &at) == STRATA_OK && at == ten_ms);
  CHECK(strata_next_edge(p, "dram", &cycle) == STRATA_OK && cycle == 0);
  CHECK(strata_tick(p, 14000000) == STRATA_OK);
  CHECK(strata_next_edge(p, "core", &cycle) == STRATA_OK && cycle == 14000000);
  CHECK(strata_next_edge(p, "dram", &cycle) == STRATA_OK && cycle == 9240000);
  CHECK(strata_tick(p, 1) == STRATA_OK); /* 714 286 fs later, and the next one of 924 MHz 1 082 251 fs */
  CHECK(strata_next_edge(p, "dram", &cycle) == STRATA_OK && cycle == 9240001);
  CHECK(strata_edge(p, "drum", 0, &at) == STRATA_UNKNOWN && strstr(strata_error(p), "did you mean 'dram'") != NULL);
  CHECK(strata_edge(p, "core", 0, NULL) == STRATA_BAD_ARGUMENT);
}

static void speed(void) {
  strata_platform* p = opened(NULL, 0);
  const clock_t begin = clock();
  CHECK(strata_tick(p, 1) == STRATA_OK);
  for (int i = 0; i < 100000000; ++i) strata_tick(p, 1);
  printf("%.0f M idle cycles per second\n", 100.0 / ((double)(clock() - begin) / CLOCKS_PER_SEC));
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (argc > 2) netlist = argv[2];
  if (strcmp(what, "latency") == 0) latency();
  else if (strcmp(what, "step") == 0) carried(1, 1, NULL);
  else if (strcmp(what, "leap") == 0) carried(16, 1, NULL);
  else if (strcmp(what, "carried") == 0) carried(16, 1, "run.data=carried");
  else if (strcmp(what, "arguments") == 0) arguments();
  else if (strcmp(what, "two") == 0) two();
  else if (strcmp(what, "edges") == 0) edges();
  else if (strcmp(what, "speed") == 0) speed();
  else return 2;
  return failures != 0;
}
