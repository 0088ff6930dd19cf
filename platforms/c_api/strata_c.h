/* A Strata platform as the memory system behind a program or an RTL test bench, in plain C.
 *
 * The netlist has ports: instances of `outside_port`, whose sockets lead to L1s, routers or slices. The
 * caller pushes requests, lets cycles of the clock `core` pass, and polls replies. Time stands still between
 * calls. docs/guide/c-interface.md tells more.
 *
 * No function exits, prints or throws. Those that can fail return a code; strata_error() has the sentence.
 * All calls come from one thread. */
#ifndef STRATA_C_H
#define STRATA_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_C_VERSION 1

typedef struct strata_platform strata_platform;

enum strata_code {
  STRATA_OK = 0,
  STRATA_NOT_NOW = 1,       /* push: no room in this cycle; poll: no reply yet */
  STRATA_BAD_ARGUMENT = -1, /* a null pointer, no such port, a request that cannot be */
  STRATA_BAD_NETLIST = -2,  /* strata_open() */
  STRATA_TOO_LATE = -3,     /* strata_open() after a platform of this process has ticked */
  STRATA_UNKNOWN = -4,      /* no instance or counter of that name */
  STRATA_BROKEN = -5,       /* a model has failed: nothing but statistics and strata_close() */
  STRATA_UNFINISHED = -6    /* strata_finish(): requests are under way, or a law does not hold */
};

enum strata_operation { STRATA_LOAD = 0, STRATA_STORE = 1, STRATA_READ_ONLY_LOAD = 2 };

#define STRATA_MOST_BYTES 4096u

typedef struct {
  uint64_t id; /* comes back in the reply */
  uint64_t address;
  uint32_t bytes; /* 1 to 4096, all in one block of 4096 */
  uint8_t operation;
  const uint8_t* data;    /* of a store */
  const uint8_t* strobes; /* of a store: a byte each, 0 is not written; null: all are */
} strata_request;

typedef struct {
  uint64_t id;
  uint64_t pushed_cycle; /* when the request was taken */
  uint64_t done_cycle;   /* when its last line was answered */
  uint32_t bytes;        /* of a load: how many were written to `data` */
  uint8_t operation;
  uint8_t failed; /* a block answered with an error */
} strata_reply;

/* `netlist`: a file, or a platform that Strata comes with. `sets`: KEY=VALUE as of `strata run --set`;
 * `plugins=FILE` too. On a fault `error` takes the sentence (a line for each of several), cut to `capacity`
 * bytes with its end. */
int strata_open(const char* netlist, const char* const* sets, size_t set_count, strata_platform** platform,
                char* error, size_t capacity);
void strata_close(strata_platform* platform);
/* Of the last call that failed; empty: none has. Valid until the next call. */
const char* strata_error(const strata_platform* platform);

/* Sockets of all outside_ports in the order of the netlist. */
int strata_ports(const strata_platform* platform);

/* STRATA_OK: taken, in the present cycle. The bytes are copied. */
int strata_push(strata_platform* platform, int port, const strata_request* request);
/* The next reply of a port, in order of being answered; its bytes go to `data`, which holds `capacity`. */
int strata_poll(strata_platform* platform, int port, strata_reply* reply, uint8_t* data, size_t capacity);

/* Lets cycles pass. */
int strata_tick(strata_platform* platform, uint64_t cycles);
/* The present cycle. */
uint64_t strata_now(const strata_platform* platform);
/* The next cycle in which anything happens by itself; UINT64_MAX: none. Ticks up to there may be made at
 * once. */
uint64_t strata_next(const strata_platform* platform);

/* For benches with a clock of their own beside it: where edge `cycle` of a clock of the netlist ("core",
 * "noc", "dram", ...) lies, in femtoseconds. Edges are at cycle / frequency, each rounded by itself: nothing
 * adds up. */
int strata_edge(strata_platform* platform, const char* clock, uint64_t cycle, uint64_t* femtoseconds);
/* The first edge of that clock that has not happened yet. */
int strata_next_edge(strata_platform* platform, const char* clock, uint64_t* cycle);

/* Memory contents, without time and without effect on it. */
int strata_peek(strata_platform* platform, int port, uint64_t address, void* data, size_t bytes);
int strata_poke(strata_platform* platform, int port, uint64_t address, const void* data, size_t bytes);

/* A counter of an instance: "llc[0]", "hits". */
int strata_statistic(strata_platform* platform, const char* instance, const char* counter, uint64_t* value);
/* Of all counters: 16 hexadecimal digits and their end. */
int strata_digest(strata_platform* platform, char digest[17]);
/* Whether all is done and right: no request under way, every queue empty, every law kept. */
int strata_finish(strata_platform* platform);

#ifdef __cplusplus
}
#endif
#endif
