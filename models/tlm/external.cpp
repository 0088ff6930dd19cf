#include "models/tlm/external.h"

#include <algorithm>

#include "models/tlm/block.h"
#include "models/tlm/payload_bytes.h"

namespace strata {
namespace {

constexpr unsigned widest = 128;          // the platform's line
constexpr std::size_t most_parts = 4096;  // 512 KiB in whole lines

bool is_enabled(const tlm::tlm_generic_payload& payload, unsigned byte) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  return enables == nullptr || enables[byte % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

std::uint8_t sectors_in(const tlm::tlm_generic_payload& payload, const ExternalPart& part) {
  unsigned sectors = 0;
  for (unsigned i = 0; i < part.bytes; ++i)
    if (is_enabled(payload, part.offset + i)) sectors |= 1U << ((part.address + i) % widest / sector_bytes);
  return static_cast<std::uint8_t>(sectors);
}

/// An error in place of INCOMPLETE: the payload cannot be modelled.
tlm::tlm_response_status split(const tlm::tlm_generic_payload& payload, std::vector<ExternalPart>& parts) {
  const unsigned length = payload.get_data_length();
  const unsigned width = std::min(payload.get_streaming_width(), length);
  if (width == 0 || payload.get_address() + width < payload.get_address())
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  for (unsigned offset = 0; offset < length;) {
    ExternalPart part;
    const unsigned in_stream = offset % width;
    part.address = payload.get_address() + in_stream;
    part.offset = offset;
    part.bytes =
        std::min({length - offset, width - in_stream, widest - static_cast<unsigned>(part.address % widest)});
    part.sectors = sectors_in(payload, part);
    offset += part.bytes;
    if (part.sectors == 0) continue;
    if (parts.size() == most_parts) return tlm::TLM_BURST_ERROR_RESPONSE;
    parts.push_back(part);
  }
  return tlm::TLM_INCOMPLETE_RESPONSE;
}

/// Moves the enabled bytes of a part; who asked stands in the payload's extension, if it has one.
void move(tlm::tlm_generic_payload& payload, const ExternalPart& part, Block& block, int port) {
  tlm::tlm_generic_payload run;
  run.set_command(payload.get_command());
  auto* const attr = payload.get_extension<MemAttr>();
  if (attr != nullptr) run.set_extension(attr);
  for (unsigned i = 0; i < part.bytes;) {
    unsigned end = i;
    while (end < part.bytes && is_enabled(payload, part.offset + end)) ++end;
    if (end != i) {
      run.set_address(part.address + i);
      run.set_data_ptr(payload.get_data_ptr() + part.offset + i);
      run.set_data_length(end - i);
      run.set_streaming_width(end - i);
      block.debug(run, port);
    }
    i = end + 1;
  }
  if (attr != nullptr) run.clear_extension(attr);
}

/// What a line access brings of its part.
void bring(Txn& txn, const tlm::tlm_generic_payload& payload, const ExternalPart& part) {
  begin_enables(txn);
  bool every = part.bytes == txn.get_data_length();
  for (unsigned i = 0; i < part.bytes; ++i) {
    const bool enabled = is_enabled(payload, part.offset + i);
    every = every && enabled;
    if (!enabled) continue;
    const Address at = part.address + i - txn.get_address();
    txn.get_data_ptr()[at] = payload.get_data_ptr()[part.offset + i];
    txn.get_byte_enable_ptr()[at] = TLM_BYTE_ENABLED;
  }
  if (every) end_enables(txn);
}

/// What it comes back with.
void take(Txn& txn, tlm::tlm_generic_payload& payload, const ExternalPart& part) {
  for (unsigned i = 0; i < part.bytes; ++i)
    if (is_enabled(payload, part.offset + i))
      payload.get_data_ptr()[part.offset + i] = *byte_at(txn, part.address + i);
}

}  // namespace

ExternalRequest* ExternalRequests::begin(tlm::tlm_generic_payload& payload) {
  std::unique_ptr<ExternalRequest> request;
  if (spare_.empty()) {
    request = std::make_unique<ExternalRequest>();
  } else {
    request = std::move(spare_.back());
    spare_.pop_back();
  }
  request->payload = &payload;
  request->parts.clear();
  request->sent = 0;
  request->open = 0;
  request->latest = 0;
  request->blocking = false;
  tlm::tlm_response_status status = split(payload, request->parts);
  if (status == tlm::TLM_INCOMPLETE_RESPONSE && request->parts.empty()) status = tlm::TLM_OK_RESPONSE;
  if (status != tlm::TLM_INCOMPLETE_RESPONSE) {
    payload.set_response_status(status);
    spare_.push_back(std::move(request));
    return nullptr;
  }
  if (payload.has_mm()) payload.acquire();
  active_.push_back(std::move(request));
  return active_.back().get();
}

Txn& ExternalRequests::next(ExternalRequest& request, Cycle ledger_now) {
  const ExternalPart& part = request.parts[request.sent];
  tlm::tlm_generic_payload& payload = *request.payload;
  const MemAttr* attr = payload.get_extension<MemAttr>();
  const AccessClass access_class = attr != nullptr      ? attr->access_class
                                   : payload.is_write() ? AccessClass::store
                                                        : AccessClass::load;
  Txn& txn = pool_.make(access_class, part.address / widest * widest, part.sectors, ledger_now);
  copy_identity(attr != nullptr ? static_cast<const Access&>(*attr) : Access{}, txn.access());
  if (attr != nullptr && (attr->line != txn.access().line || attr->sectors != part.sectors))
    txn.access().lanes = {};  // they were those of another line
  txn.outer = &payload;
  if (carries_data_) {
    txn.access().push_route(static_cast<int>(request.sent));
    if (carries_request_data(access_class)) bring(txn, payload, part);
  }
  ++request.sent;
  ++request.open;
  return txn;
}

ExternalRequest& ExternalRequests::of(const Txn& txn) {
  return **std::find_if(active_.begin(), active_.end(),
                        [&](const auto& request) { return request->payload == txn.outer; });
}

void ExternalRequests::end_part(ExternalRequest& request, Txn& txn) {
  txn.publish_status();
  if (!txn.is_response_ok()) request.payload->set_response_status(txn.get_response_status());
  if (carries_data_) {
    const ExternalPart& part = request.parts[static_cast<std::size_t>(txn.access().pop_route())];
    if (!is_write(txn.access().access_class)) take(txn, *request.payload, part);
    end_enables(txn);
  }
  txn.release();
  --request.open;
}

void ExternalRequests::end(ExternalRequest& request, Block& block, int port) {
  tlm::tlm_generic_payload& payload = *request.payload;
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (!carries_data_ && payload.get_command() != tlm::TLM_IGNORE_COMMAND)
      for (const ExternalPart& part : request.parts) move(payload, part, block, port);
  }
  const auto at =
      std::find_if(active_.begin(), active_.end(), [&](const auto& one) { return one.get() == &request; });
  spare_.push_back(std::move(*at));
  active_.erase(at);
  ++ended_;
  last_end_ = sc_core::sc_time_stamp();
  if (payload.has_mm()) payload.release();
}

}  // namespace strata
