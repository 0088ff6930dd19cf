#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <typeinfo>
#include <vector>

#include <tlm>

#include "models/common/access.h"

namespace strata {

class Txn;

/// The one payload extension: who asked, for what, and where the time went. Set by the originator. Foreign
/// modules reach it with `payload.get_extension<strata::MemAttr>()`.
class MemAttr final : public tlm::tlm_extension<MemAttr>, public Access {
 public:
  explicit MemAttr(Txn* txn = nullptr) : txn_(txn) {}
  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
  void free() override;
  Txn* txn() const { return txn_; }

 private:
  Txn* txn_;  // the payload that embeds this extension; null for one that a user made
};

class TxnPool;

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

/// A generic payload with its extension and its data buffer in one piece. Made by a TxnPool.
class Txn final : public tlm::tlm_generic_payload {
 public:
  explicit Txn(TxnPool& pool);
  ~Txn() override;
  Txn(const Txn&) = delete;
  Txn& operator=(const Txn&) = delete;

  Access& access() { return attr_; }
  const Access& access() const { return attr_; }
  /// The Txn of an access that a pool made. By arithmetic: the pointer in the extension lies in a cache line
  /// that hops do not touch otherwise.
  static Txn& of(Access& access);
  /// The Txn behind a payload, or null if a foreign module made the payload.
  static Txn* from(tlm::tlm_generic_payload& payload) {
    // The dynamic type answers from the payload's first cache line; the extension array lies in another.
    return typeid(payload) == typeid(Txn) ? static_cast<Txn*>(&payload) : nullptr;
  }

  /// Set the response status. Hops ask `access().failed` instead: the payload lies in another cache line.
  void set_response_status(tlm::tlm_response_status status) {
    tlm_generic_payload::set_response_status(status);
    note_status();
  }
  /// The payload comes back from a module that knows only the payload.
  void note_status() { attr_.failed = get_response_status() < tlm::TLM_INCOMPLETE_RESPONSE ? 1 : 0; }
  /// The payload goes to a module that knows only the payload: the answer is OK unless an error was set.
  /// Within the platform that goes without saying.
  void publish_status() {
    if (get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) set_response_status(tlm::TLM_OK_RESPONSE);
  }

  tlm::tlm_generic_payload* outer =
      nullptr;              ///< foreign payload that this one stands for inside the platform
  Access* cause = nullptr;  ///< creator's own: the access on whose behalf this one was made

 private:
  friend class TxnPool;
  MemAttr attr_;
  alignas(16) unsigned char data_[256];
};

inline Txn& Txn::of(Access& access) {
  auto& attr = static_cast<MemAttr&>(access);
  assert(attr.txn() != nullptr);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // Txn has no virtual base: the offset is one constant
  constexpr std::size_t offset = offsetof(Txn, attr_);
#pragma GCC diagnostic pop
  return *reinterpret_cast<Txn*>(reinterpret_cast<unsigned char*>(&attr) - offset);
}

/// Pooled allocator of one creating module. Sets every payload attribute; counts leaks.
class TxnPool final : public tlm::tlm_mm_interface {
 public:
  TxnPool();
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

/// Copy who asked (sm, cluster, warp, application, cta, kernel, pc and the hint bits) from one access to
/// another.
inline void copy_identity(const Access& from, Access& to) {
  to.sm = from.sm;
  to.cluster = from.cluster;
  to.warp = from.warp;
  to.application = from.application;
  to.cta = from.cta;
  to.kernel = from.kernel;
  to.pc = from.pc;
  to.non_coherent = from.non_coherent;
  to.bypass_l1 = from.bypass_l1;
}

}  // namespace strata
