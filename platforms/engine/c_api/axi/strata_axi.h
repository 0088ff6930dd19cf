/* The functions that strata_axi4.sv calls. 1: done, 0: not now, -1: a fault, reported on stderr. */
#ifndef STRATA_AXI_H
#define STRATA_AXI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int strata_axi_open(const char* netlist, const char* set);
int strata_axi_tick(void);
int strata_axi_finish(void);
int strata_axi_read(int port, int id, long long address, int beats);
int strata_axi_beat(int port, int beat, const uint32_t* data, const uint32_t* strobes);
int strata_axi_write(int port, int id, long long address, int beats);
int strata_axi_read_beat(int port, int* id, uint32_t* data, int* failed, int* last);
int strata_axi_write_reply(int port, int* id, int* failed);

#ifdef __cplusplus
}
#endif
#endif
