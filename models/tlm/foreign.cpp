#include "models/tlm/foreign.h"

#include "models/tlm/block.h"

namespace strata {

Txn* wrap_foreign(tlm::tlm_generic_payload& payload, TxnPool& pool, Cycle ledger_now) {
  constexpr Address widest = 128;  // the platform's line: longer bursts must be split by their master
  const Address first = payload.get_address();
  const Address length = payload.get_data_length();
  if (payload.get_byte_enable_ptr() != nullptr) {  // the line's data would move whole
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return nullptr;
  }
  if (length == 0 || payload.get_streaming_width() < length ||
      first / widest != (first + length - 1) / widest) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return nullptr;
  }
  const Address line = first / widest * widest;
  const unsigned low = static_cast<unsigned>((first - line) / chunk_bytes);
  const unsigned high = static_cast<unsigned>((first + length - 1 - line) / chunk_bytes);
  const auto chunks = static_cast<std::uint8_t>(((2U << high) - 1) & ~((1U << low) - 1));
  AccessClass access_class = payload.is_write() ? AccessClass::store : AccessClass::load;
  const MemAttr* attr = payload.get_extension<MemAttr>();
  if (attr != nullptr) access_class = attr->access_class;
  Txn& txn = pool.make(access_class, line, chunks, ledger_now);
  copy_identity(attr != nullptr ? static_cast<const Access&>(*attr) : Access{}, txn.access());
  txn.outer = &payload;
  if (payload.has_mm()) payload.acquire();
  return &txn;
}

void unwrap_foreign(Txn& txn, Block& block, int port) {
  tlm::tlm_generic_payload& payload = *txn.outer;
  payload.set_response_status(txn.get_response_status());
  if (txn.is_response_ok() && payload.get_command() != tlm::TLM_IGNORE_COMMAND) block.debug(payload, port);
  if (payload.has_mm()) payload.release();
  txn.release();
}

}  // namespace strata
