#include "models/dram_channel/dram_channel_lt.h"

#include <algorithm>

#include "models/dram_channel/dram_command_attr.h"
#include "models/dram_channel/memory_image.h"

namespace strata {
namespace {

DramChannelParams unchecked(DramChannelParams params) {
  params.check = false;
  return params;
}

}  // namespace

DramChannelLt::DramChannelLt(sc_core::sc_module_name module_name, const DramChannelParams& params,
                             const BuildContext& context)
    : LtBlock(module_name, context.clock), core_(unchecked(params)), controller_(*this, "controller", 0) {}

LtAnswer DramChannelLt::transport(Txn& txn, int, Cycle at) {
  const auto* attr = txn.get_extension<DramCommandAttr>();
  if (attr == nullptr || attr->bank < 0 || attr->bank >= core_.timing().banks()) {
    SC_REPORT_ERROR(name(), attr == nullptr ? "payload without a DRAM command"
                                            : "DRAM command for a bank that the channel does not have");
    txn.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return {at, at, true};
  }
  latest_ = std::max(latest_, attr->cycle == never ? at : attr->cycle);
  core_.execute(attr->command, attr->bank, attr->row, latest_);
  return {at, at, true};
}

unsigned DramChannelLt::debug(tlm::tlm_generic_payload& payload, int) {
  return access_image(core_.memory(), payload);
}

}  // namespace strata
