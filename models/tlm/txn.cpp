#include <array>
#include <new>

#include "models/tlm/txn_pool.h"

namespace strata {
namespace {

/// Bytes of a line from the first to the last sector of a mask.
struct SectorSpan {
  std::uint16_t first = 0;
  std::uint16_t bytes = sector_bytes;
};

constexpr std::array<SectorSpan, 256> make_sector_spans() {
  std::array<SectorSpan, 256> spans{};
  for (unsigned mask = 1; mask < spans.size(); ++mask) {
    unsigned first = 0, end = 8;
    while ((mask >> first & 1U) == 0) ++first;
    while ((mask >> (end - 1) & 1U) == 0) --end;
    spans[mask].first = static_cast<std::uint16_t>(first * sector_bytes);
    spans[mask].bytes = static_cast<std::uint16_t>((end - first) * sector_bytes);
  }
  return spans;
}

constexpr std::array<SectorSpan, 256> sector_spans = make_sector_spans();

constexpr std::size_t class_count = static_cast<std::size_t>(AccessClass::count_);

constexpr std::array<tlm::tlm_command, class_count> make_commands() {
  std::array<tlm::tlm_command, class_count> commands{};
  for (std::size_t i = 0; i < class_count; ++i)
    commands[i] = is_write(static_cast<AccessClass>(i)) ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
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
  tlm_generic_payload::acquire();
  set_extension(&attr_);
}

Txn::~Txn() {
  clear_extension(&attr_);
}

void Txn::write_attributes() {
  if (data_ == nullptr) {
    data_.reset(new unsigned char[most_bytes]);
    set_data_ptr(data_.get());
  }
  const SectorSpan span = sector_spans[attr_.sectors];
  set_command(command_of[static_cast<std::size_t>(attr_.access_class)]);
  set_address(attr_.line + span.first);
  set_data_length(span.bytes);
  set_streaming_width(span.bytes);
  set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  set_dmi_allowed(false);
  outer = nullptr;
}

unsigned char* Txn::enables() {
  if (enables_ == nullptr) enables_ = std::make_unique<unsigned char[]>(most_bytes);
  return enables_.get();
}

/// Room for transactions, which are made in it one by one: most of the cost of a single one is its
/// allocation.
struct TxnPool::Piece {
  static constexpr std::size_t size = 32;
  alignas(Txn) unsigned char room[size][sizeof(Txn)];
  Txn& txn(std::size_t place) { return *std::launder(reinterpret_cast<Txn*>(room[place])); }
};

TxnPool::TxnPool(const LedgerPlaces* places, bool late_attributes)
    : places_(places), late_attributes_(late_attributes) {}

TxnPool::~TxnPool() {
  for (std::size_t i = 0; i < made_; ++i) pieces_[i / Piece::size]->txn(i % Piece::size).~Txn();
}

void TxnPool::grow() {
  if (made_ == pieces_.size() * Piece::size) pieces_.emplace_back(new Piece);  // make_unique would clear it
  free_list_ = &(new (pieces_.back()->room[made_ % Piece::size]) Txn(*this))->attr_;
  if (places_ == nullptr || places_->size() > usual_places) free_list_->ledger.widen();
  ++made_;
  ++free_count_;
}

}  // namespace strata
