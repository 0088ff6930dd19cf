/* A Strata platform as the memory system behind a program or an RTL test bench, in plain C.
 *
 * The netlist has ports: instances of `outside_port`, whose sockets are bound to L1s, routers or slices. The
 * caller pushes requests, advances the clock `core`, and polls replies. Time stands still between calls. See
 * docs/guide/c-interface.md.
 *
 * No function exits, prints or throws. Those that can fail return a code; strata_error() has the message.
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
  STRATA_NOT_NOW = 1,       /* push: queue full in this cycle; poll: no reply yet */
  STRATA_BAD_ARGUMENT = -1, /* a null pointer, no such port, an impossible request */
  STRATA_BAD_NETLIST = -2,  /* strata_open() */
  STRATA_TOO_LATE = -3,     /* strata_open() after a platform of this process has ticked */
  STRATA_UNKNOWN = -4,      /* no instance or counter of that name */
  STRATA_BROKEN = -5,       /* a model has failed: only statistics and strata_close() work */
  STRATA_UNFINISHED = -6    /* strata_finish(): requests are in flight, or a law fails */
};

enum strata_operation { STRATA_LOAD = 0, STRATA_STORE = 1, STRATA_READ_ONLY_LOAD = 2 };

#define STRATA_MOST_BYTES 4096u

typedef struct {
  uint64_t id; /* returned in the reply */
  uint64_t address;
  uint32_t bytes; /* 1 to 4096, within one aligned block of 4096 */
  uint8_t operation;
  const uint8_t* data;    /* of a store */
  const uint8_t* strobes; /* of a store: one byte for each data byte, 0: not written; null: all written */
} strata_request;

typedef struct {
  uint64_t id;
  uint64_t pushed_cycle; /* the request was accepted */
  uint64_t done_cycle;   /* the reply of its last line arrived */
  uint32_t bytes;        /* of a load: bytes written to `data` */
  uint8_t operation;
  uint8_t failed; /* a block replied with an error */
} strata_reply;

/* `netlist`: a file, or the name of a shipped platform. `sets`: KEY=VALUE as in `strata run --set`;
 * `plugins=FILE` too. On a fault `error` receives the message (one line per fault), cut to `capacity` bytes
 * including the terminator. */
int strata_open(const char* netlist, const char* const* sets, size_t set_count, strata_platform** platform,
                char* error, size_t capacity);
void strata_close(strata_platform* platform);
/* Message of the last call that failed; empty: none. Valid until the next call. */
const char* strata_error(const strata_platform* platform);

/* Sockets of all outside_ports in the order of the netlist. */
int strata_ports(const strata_platform* platform);

/* STRATA_OK: accepted in the present cycle. The bytes are copied. */
int strata_push(strata_platform* platform, int port, const strata_request* request);
/* The next reply of a port, in the order of completion; its bytes go to `data`, of `capacity` bytes. */
int strata_poll(strata_platform* platform, int port, strata_reply* reply, uint8_t* data, size_t capacity);

/* Advances by this many cycles. */
int strata_tick(strata_platform* platform, uint64_t cycles);
/* The present cycle. */
uint64_t strata_now(const strata_platform* platform);
/* The next cycle with an event; UINT64_MAX: none. The caller may tick up to it in one call. */
uint64_t strata_next(const strata_platform* platform);

/* For benches with another clock: the time of edge `cycle` of a clock of the netlist ("core", "noc", "dram",
 * ...) in femtoseconds. Edges are at cycle / frequency, each rounded separately: errors do not accumulate. */
int strata_edge(strata_platform* platform, const char* clock, uint64_t cycle, uint64_t* femtoseconds);
/* The first edge of that clock that has not happened yet. */
int strata_next_edge(strata_platform* platform, const char* clock, uint64_t* cycle);

/* Reads and writes memory contents without advancing or disturbing time. */
int strata_peek(strata_platform* platform, int port, uint64_t address, void* data, size_t bytes);
int strata_poke(strata_platform* platform, int port, uint64_t address, const void* data, size_t bytes);

/* A counter of an instance: "llc[0]", "hits". */
int strata_statistic(strata_platform* platform, const char* instance, const char* counter, uint64_t* value);
/* Digest of all counters: 16 hexadecimal digits and the terminator. */
int strata_digest(strata_platform* platform, char digest[17]);
/* Checks that all work is complete: no request in flight, every queue empty, every law holds. */
int strata_finish(strata_platform* platform);

#ifdef __cplusplus
}
#endif
#endif
