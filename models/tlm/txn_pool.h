#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/tlm/txn.h"

namespace strata {

namespace detail {

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

inline constexpr std::array<ChunkSpan, 256> chunk_spans = make_chunk_spans();

inline constexpr std::size_t class_count = static_cast<std::size_t>(AccessClass::count_);

constexpr std::array<tlm::tlm_command, class_count> make_commands() {
  std::array<tlm::tlm_command, class_count> commands{};
  for (std::size_t i = 0; i < class_count; ++i)
    commands[i] = is_write(static_cast<AccessClass>(i)) ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
  return commands;
}

inline constexpr std::array<tlm::tlm_command, class_count> command_of = make_commands();

}  // namespace detail

/// Pooled allocator of one creating module. Sets every payload attribute; counts leaks.
class TxnPool final : public tlm::tlm_mm_interface {
 public:
  /// `places`: those that ledgers have; without them, all that there can be.
  explicit TxnPool(const LedgerPlaces* places = nullptr);
  ~TxnPool() override;
  TxnPool(const TxnPool&) = delete;
  TxnPool& operator=(const TxnPool&) = delete;

  /// A fresh transaction with one reference: command, address and length follow from class, line and chunks;
  /// its hop state is cleared and its ledger opened at `ledger_now`. Identity fields (sm, warp, ...) are the
  /// caller's.
  Txn& make(AccessClass access_class, Address line, std::uint8_t chunks, Cycle ledger_now);

  std::size_t in_use() const { return made_ - free_count_; }
  std::size_t capacity() const { return made_; }

 private:
  void free(tlm::tlm_generic_payload* payload) override;
  void grow();
  struct Piece;
  const LedgerPlaces* places_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::size_t made_ = 0;
  Access* free_list_ = nullptr;
  std::size_t free_count_ = 0;
};

inline Txn& TxnPool::make(AccessClass access_class, Address line, std::uint8_t chunks, Cycle ledger_now) {
  if (free_list_ == nullptr) grow();
  Access& access = *free_list_;
  free_list_ = access.next;
  --free_count_;
  Txn& txn = Txn::of(access);

  access.line = line;
  access.access_class = access_class;
  access.chunks = chunks;
  access.spare_words = 0;
  access.parts = 0;
  access.birth = ledger_now;
  access.ledger.open(ledger_now);
  access.next = nullptr;
  access.slice = no_slice;
  access.flits = 1;
  access.depth = 0;
  access.failed = 0;

  const detail::ChunkSpan span = detail::chunk_spans[chunks];
  txn.set_command(detail::command_of[static_cast<std::size_t>(access_class)]);
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

}  // namespace strata
