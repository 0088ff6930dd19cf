#include "models/tlm/txn.h"

#include <array>

namespace strata {
namespace {

/// Bytes of a line from the first to the last chunk of a mask.
struct ChunkSpan {
  std::uint16_t first = 0;
  std::uint16_t bytes = chunk_bytes;
};

constexpr std::array<ChunkSpan, 256> make_chunk_spans() {
  std::array<ChunkSpan, 256> spans{};
  for (unsigned mask = 1; mask < spans.size(); ++mask) {
    unsigned first = 0, end = 8;
    while ((mask >> first & 1U) == 0) ++first;
    while ((mask >> (end - 1) & 1U) == 0) --end;
    spans[mask].first = static_cast<std::uint16_t>(first * chunk_bytes);
    spans[mask].bytes = static_cast<std::uint16_t>((end - first) * chunk_bytes);
  }
  return spans;
}

constexpr std::array<ChunkSpan, 256> chunk_spans = make_chunk_spans();

constexpr std::size_t class_count = static_cast<std::size_t>(AccessClass::count_);

constexpr std::array<tlm::tlm_command, class_count> make_commands() {
  std::array<tlm::tlm_command, class_count> commands{};
  for (std::size_t i = 0; i < class_count; ++i) {
    const auto access_class = static_cast<AccessClass>(i);
    commands[i] = access_class == AccessClass::flush ? tlm::TLM_IGNORE_COMMAND
                  : is_write(access_class)           ? tlm::TLM_WRITE_COMMAND
                                                     : tlm::TLM_READ_COMMAND;
  }
  return commands;
}

constexpr std::array<tlm::tlm_command, class_count> command_of = make_commands();

}  // namespace

tlm::tlm_extension_base* MemAttr::clone() const {
  auto* copy = new MemAttr;
  copy->copy_from(*this);
  return copy;
}

void MemAttr::copy_from(const tlm::tlm_extension_base& other) {
  static_cast<Access&>(*this) = static_cast<const MemAttr&>(other);
  next = nullptr;
}

void MemAttr::free() {
  if (txn_ == nullptr) delete this;  // one embedded in a Txn goes with it
}

Txn::Txn(TxnPool& pool) : tlm_generic_payload(&pool), attr_(this) {
  set_extension(&attr_);
  set_data_ptr(data_);
}

Txn::~Txn() {
  clear_extension(&attr_);
}

Txn& TxnPool::make(AccessClass access_class, Address line, std::uint8_t chunks, Cycle ledger_now) {
  if (free_list_ == nullptr) {
    made_.push_back(std::make_unique<Txn>(*this));
    made_.back()->attr_.next = nullptr;
    free_list_ = &made_.back()->attr_;
    ++free_count_;
  }
  Access& access = *free_list_;
  free_list_ = access.next;
  --free_count_;
  Txn& txn = Txn::of(access);

  access.line = line;
  access.access_class = access_class;
  access.chunks = chunks;
  access.birth = ledger_now;
  access.ledger.open(ledger_now);
  access.next = nullptr;
  access.slice = no_slice;
  access.flits = 1;
  access.depth = 0;
  access.failed = 0;

  const ChunkSpan span = chunk_spans[chunks];
  txn.set_command(command_of[static_cast<std::size_t>(access_class)]);
  txn.set_address(line + span.first);
  txn.set_data_length(span.bytes);
  txn.set_streaming_width(span.bytes);
  txn.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  txn.set_dmi_allowed(false);
  txn.outer = nullptr;
  txn.cause = nullptr;
  txn.acquire();
  return txn;
}

void TxnPool::free(tlm::tlm_generic_payload* payload) {
  Access& access = static_cast<Txn*>(payload)->attr_;
  access.next = free_list_;
  free_list_ = &access;
  ++free_count_;
}

void copy_identity(const Access& from, Access& to) {
  to.non_coherent = from.non_coherent;
  to.bypass_l1 = from.bypass_l1;
  to.sm = from.sm;
  to.cluster = from.cluster;
  to.warp = from.warp;
  to.application = from.application;
  to.cta = from.cta;
  to.kernel = from.kernel;
  to.pc = from.pc;
}

}  // namespace strata
