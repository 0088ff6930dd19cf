/* AXI4 on the C interface: the functions that strata_axi4.sv calls, through DPI (Verilator and others) or VPI
 * (strata_axi_vpi.c). A bench has one platform, and one subordinate for each of its ports. Replies of one ID keep
 * their order, as AXI requires. */
#include "platforms/engine/c_api/axi/strata_axi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/engine/c_api/strata_c.h"

enum { most_ports = 256, most_pending = 1024, beat_bytes = 32, most_beats = 128 };

/* A pushed request, in the order of pushing; `done` when the platform has replied. */
struct pending {
  uint32_t id, beats;
  int write, done, failed;
  uint8_t* data;
};

struct port {
  struct pending pending[most_pending];
  int count, done[2]; /* of these: reads and writes with a reply */
  struct pending reading; /* the R channel sends it beat by beat */
  uint32_t beat;
  uint8_t data[most_beats * beat_bytes], strobes[most_beats * beat_bytes]; /* of the arriving write */
};

static strata_platform* platform;
static struct port* ports[most_ports];

static int complain(const char* what) {
  fprintf(stderr, "strata_axi: %s: %s\n", what, strata_error(platform));
  return -1;
}

int strata_axi_open(const char* netlist, const char* set) {
  char error[4000];
  if (platform != NULL) {
    fprintf(stderr, "strata_axi: a platform is open already; a bench has one strata_axi4_clock\n");
    return -1;
  }
  if (strata_open(netlist, &set, set[0] != '\0', &platform, error, sizeof error) != STRATA_OK) {
    fprintf(stderr, "strata_axi: %s\n", error);
    return -1;
  }
  for (int p = 0; p < strata_ports(platform) && p < most_ports; ++p) {
    ports[p] = calloc(1, sizeof *ports[p]);
    if (ports[p] == NULL) return -1;
  }
  return 1;
}

int strata_axi_tick(void) {
  return strata_tick(platform, 1) == STRATA_OK ? 1 : complain("tick");
}

int strata_axi_finish(void) {
  return strata_finish(platform) == STRATA_OK ? 1 : complain("finish");
}

static struct port* port_of(int port) {
  if (platform != NULL && port >= 0 && port < most_ports && ports[port] != NULL) return ports[port];
  fprintf(stderr, "strata_axi: no port %d: is the platform open, and has its netlist so many?\n", port);
  exit(1); /* the bench would wait for ever */
}

/* 1: accepted, 0: not now, -1: impossible. */
static int push(int port, int id, long long address, int beats, int write) {
  struct port* p = port_of(port);
  struct pending* made = &p->pending[p->count];
  strata_request request = {0, (uint64_t)address, (uint32_t)beats * beat_bytes, STRATA_LOAD, NULL, NULL};
  int code;
  if (p->count == most_pending) return 0;
  if (write) {
    request.operation = STRATA_STORE;
    request.data = p->data;
    request.strobes = p->strobes;
  }
  memset(made, 0, sizeof *made);
  made->id = (uint32_t)id;
  made->beats = (uint32_t)beats;
  made->write = write;
  made->data = malloc(request.bytes);
  if (made->data == NULL) return -1;
  request.id = (uint64_t)(uintptr_t)made->data; /* unique among the requests in flight */
  code = strata_push(platform, port, &request);
  if (code == STRATA_OK) {
    ++p->count;
    return 1;
  }
  free(made->data);
  return code == STRATA_NOT_NOW ? 0 : complain(write ? "write" : "read");
}

int strata_axi_read(int port, int id, long long address, int beats) {
  return push(port, id, address, beats, 0);
}

int strata_axi_beat(int port, int beat, const uint32_t* data, const uint32_t* strobes) {
  struct port* p = port_of(port);
  if (beat < 0 || beat >= most_beats) return -1;
  for (int i = 0; i < beat_bytes; ++i) {
    p->data[beat * beat_bytes + i] = (uint8_t)(data[i / 4] >> (i % 4 * 8));
    p->strobes[beat * beat_bytes + i] = (uint8_t)(strobes[0] >> i & 1);
  }
  return 1;
}

int strata_axi_write(int port, int id, long long address, int beats) {
  return push(port, id, address, beats, 1);
}

/* Collects the replies of the platform. */
static void poll(struct port* p, int port) {
  static uint8_t data[STRATA_MOST_BYTES];
  strata_reply reply;
  while (strata_poll(platform, port, &reply, data, sizeof data) == STRATA_OK)
    for (int i = 0; i < p->count; ++i) {
      struct pending* one = &p->pending[i];
      if ((uint64_t)(uintptr_t)one->data != reply.id) continue;
      one->done = 1;
      ++p->done[one->write];
      one->failed = reply.failed;
      memcpy(one->data, data, reply.bytes);
      break;
    }
}

/* The oldest completed request without an older one of its ID and direction. */
static int take(struct port* p, int port, int write, struct pending* taken) {
  uint64_t seen = 0;
  poll(p, port);
  if (p->done[write] == 0) return 0;
  for (int i = 0; i < p->count; ++i) {
    struct pending* one = &p->pending[i];
    const uint64_t bit = UINT64_C(1) << (one->id & 63);
    int older = 0;
    if (one->write != write) continue;
    if (one->done && (seen & bit)) /* of its ID, or of one with the same last bits */
      for (int j = 0; j < i && !older; ++j) older = p->pending[j].write == write && p->pending[j].id == one->id;
    seen |= bit;
    if (!one->done || older) continue;
    *taken = *one;
    memmove(one, one + 1, (size_t)(p->count - i - 1) * sizeof *one);
    --p->count;
    --p->done[write];
    return 1;
  }
  return 0;
}

int strata_axi_read_beat(int port, int* id, uint32_t* data, int* failed, int* last) {
  struct port* p = port_of(port);
  if (p->reading.data == NULL) {
    if (!take(p, port, 0, &p->reading)) return 0;
    p->beat = 0;
  }
  *id = (int)p->reading.id;
  *failed = p->reading.failed;
  *last = p->beat + 1 == p->reading.beats;
  for (int w = 0; w < beat_bytes / 4; ++w) {
    const uint8_t* b = p->reading.data + p->beat * beat_bytes + w * 4;
    data[w] = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  }
  ++p->beat;
  if (*last) {
    free(p->reading.data);
    p->reading.data = NULL;
  }
  return 1;
}

int strata_axi_write_reply(int port, int* id, int* failed) {
  struct pending taken;
  if (!take(port_of(port), port, 1, &taken)) return 0;
  *id = (int)taken.id;
  *failed = taken.failed;
  free(taken.data);
  return 1;
}
