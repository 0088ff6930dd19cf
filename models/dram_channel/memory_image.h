#pragma once

#include <tlm>

#include "models/dram_channel/sparse_memory.h"

namespace strata {

/// transport_dbg of a memory image: bytes moved.
inline unsigned access_image(SparseMemory& memory, tlm::tlm_generic_payload& payload) {
  const unsigned length = payload.get_data_length();
  unsigned char* data = payload.get_data_ptr();
  if (payload.is_read()) {
    memory.read(payload.get_address(), data, length);
    return length;
  }
  if (!payload.is_write()) return 0;
  const unsigned char* enables = payload.get_byte_enable_ptr();
  if (enables == nullptr) {
    memory.write(payload.get_address(), data, length);
    return length;
  }
  for (unsigned i = 0; i < length; ++i)
    if (enables[i % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED)
      memory.write(payload.get_address() + i, data + i, 1);
  return length;
}

}  // namespace strata
