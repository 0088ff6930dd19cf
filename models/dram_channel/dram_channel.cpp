#include "models/dram_channel/dram_channel.h"

#include <algorithm>

#include "models/dram_channel/dram_command_attr.h"

namespace strata {
namespace {

/// transport_dbg of a memory image: bytes moved.
unsigned access_image(SparseMemory& memory, tlm::tlm_generic_payload& payload) {
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

}  // namespace

DramChannel::DramChannel(sc_core::sc_module_name name, const DramChannelParams& params,
                         const BuildContext& context)
    : Block(name, context.clock), core_(params), controller_(*this, "controller", 0) {}

Accept DramChannel::request(Txn& txn, int, Cycle at) {
  const auto* attr = txn.get_extension<DramCommandAttr>();
  if (attr == nullptr || attr->bank < 0 || attr->bank >= core_.timing().banks()) {
    SC_REPORT_ERROR(name(), attr == nullptr ? "payload without a DRAM command"
                                            : "DRAM command for a bank that "
                                              "the channel does not have");
    txn.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return Accept::done(at);
  }
  const Cycle when = attr->cycle == never ? at : attr->cycle;
  const Cycle end = core_.execute(attr->command, attr->bank, attr->row, when);
  if (!core_.fault().empty()) {
    const std::string message = core_.fault() + " (" + std::string(to_text(attr->command)) + " of bank " +
                                std::to_string(attr->bank) + ", row " + std::to_string(attr->row) +
                                " in cycle " + std::to_string(at) + ", timing set " + core_.timing().name +
                                ")";
    SC_REPORT_ERROR(name(), message.c_str());
  }
  return Accept::done(std::max(at, end));
}

void DramChannel::advance(Cycle, int) {}  // books nothing: commands act when they come

unsigned DramChannel::debug(tlm::tlm_generic_payload& payload, int) {
  return access_image(core_.memory(), payload);
}

}  // namespace strata
