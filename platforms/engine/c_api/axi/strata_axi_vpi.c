/* The functions of strata_axi.h as system functions of a simulator with VPI (Icarus Verilog): $strata_axi_open and so on. */
#include <string.h>
#include <vpi_user.h>

#include "platforms/engine/c_api/axi/strata_axi.h"

enum { most_arguments = 8 };

static vpiHandle arguments[most_arguments];

static void read_arguments(void) {
  vpiHandle call = vpi_handle(vpiSysTfCall, NULL), all = vpi_iterate(vpiArgument, call), one;
  int i = 0;
  while (all != NULL && (one = vpi_scan(all)) != NULL)
    if (i < most_arguments) arguments[i++] = one;
}

static int integer(int i) {
  s_vpi_value value = {.format = vpiIntVal};
  vpi_get_value(arguments[i], &value);
  return value.value.integer;
}

static void words(int i, uint32_t* to, int count) {
  s_vpi_value value = {.format = vpiVectorVal};
  vpi_get_value(arguments[i], &value);
  for (int w = 0; w < count; ++w) to[w] = (uint32_t)(value.value.vector[w].aval & ~value.value.vector[w].bval);
}

static long long address(int i) {
  uint32_t parts[2];
  words(i, parts, 2);
  return (long long)((uint64_t)parts[1] << 32 | parts[0]);
}

static void text(int i, char* to, size_t capacity) {
  s_vpi_value value = {.format = vpiStringVal};
  vpi_get_value(arguments[i], &value);
  strncpy(to, value.value.str, capacity - 1);
  to[capacity - 1] = '\0';
}

static void put_integer(vpiHandle to, int number) {
  s_vpi_value value = {.format = vpiIntVal};
  value.value.integer = number;
  vpi_put_value(to, &value, NULL, vpiNoDelay);
}

static PLI_INT32 give(int result) {
  put_integer(vpi_handle(vpiSysTfCall, NULL), result);
  return 0;
}

static PLI_INT32 open_platform(PLI_BYTE8* unused) {
  char netlist[4096], set[4096];
  (void)unused;
  read_arguments();
  text(0, netlist, sizeof netlist);
  text(1, set, sizeof set);
  return give(strata_axi_open(netlist, set));
}

static PLI_INT32 tick(PLI_BYTE8* unused) {
  (void)unused;
  return give(strata_axi_tick());
}

static PLI_INT32 finish(PLI_BYTE8* unused) {
  (void)unused;
  return give(strata_axi_finish());
}

static PLI_INT32 read_burst(PLI_BYTE8* unused) {
  (void)unused;
  read_arguments();
  return give(strata_axi_read(integer(0), integer(1), address(2), integer(3)));
}

static PLI_INT32 beat(PLI_BYTE8* unused) {
  uint32_t data[8], strobes[1];
  (void)unused;
  read_arguments();
  words(2, data, 8);
  words(3, strobes, 1);
  return give(strata_axi_beat(integer(0), integer(1), data, strobes));
}

static PLI_INT32 write_burst(PLI_BYTE8* unused) {
  (void)unused;
  read_arguments();
  return give(strata_axi_write(integer(0), integer(1), address(2), integer(3)));
}

static PLI_INT32 read_beat(PLI_BYTE8* unused) {
  int id, failed, last;
  uint32_t data[8];
  s_vpi_vecval vector[8];
  s_vpi_value value = {.format = vpiVectorVal};
  (void)unused;
  read_arguments();
  if (strata_axi_read_beat(integer(0), &id, data, &failed, &last) != 1) return give(0);
  for (int w = 0; w < 8; ++w) {
    vector[w].aval = (PLI_INT32)data[w];
    vector[w].bval = 0;
  }
  value.value.vector = vector;
  vpi_put_value(arguments[2], &value, NULL, vpiNoDelay);
  put_integer(arguments[1], id);
  put_integer(arguments[3], failed);
  put_integer(arguments[4], last);
  return give(1);
}

static PLI_INT32 write_reply(PLI_BYTE8* unused) {
  int id, failed;
  (void)unused;
  read_arguments();
  if (strata_axi_write_reply(integer(0), &id, &failed) != 1) return give(0);
  put_integer(arguments[1], id);
  put_integer(arguments[2], failed);
  return give(1);
}

static void add(const char* name, PLI_INT32 (*call)(PLI_BYTE8*)) {
  s_vpi_systf_data function;
  memset(&function, 0, sizeof function);
  function.type = vpiSysFunc;
  function.sysfunctype = vpiIntFunc;
  function.tfname = name;
  function.calltf = call;
  vpi_register_systf(&function);
}

static void add_all(void) {
  add("$strata_axi_open", open_platform);
  add("$strata_axi_tick", tick);
  add("$strata_axi_finish", finish);
  add("$strata_axi_read", read_burst);
  add("$strata_axi_beat", beat);
  add("$strata_axi_write", write_burst);
  add("$strata_axi_read_beat", read_beat);
  add("$strata_axi_write_reply", write_reply);
}

void (*vlog_startup_routines[])(void) = {add_all, NULL};
