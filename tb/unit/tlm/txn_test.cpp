// Pooled payloads: attributes, reuse and the count of leaks.
#include <string>

#include "models/tlm/block.h"
#include "models/tlm/txn_pool.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a new transaction has every attribute set") {
  TxnPool pool;
  // Sectors 1 and 2 of the line at 0x1000: 64 bytes from 0x1020.
  Txn& txn = pool.make(AccessClass::load, 0x1000, 0b0110, 42);
  CHECK(txn.get_command() == tlm::TLM_READ_COMMAND);
  CHECK(txn.get_address() == 0x1020);
  CHECK(txn.get_data_length() == 64);
  CHECK(txn.get_streaming_width() == 64);
  CHECK(txn.get_data_ptr() != nullptr);
  CHECK(txn.get_byte_enable_ptr() == nullptr);
  CHECK(txn.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
  CHECK_FALSE(txn.is_dmi_allowed());
  CHECK(txn.has_mm());
  CHECK(txn.get_ref_count() == 1);
  CHECK(txn.access().line == 0x1000);
  CHECK(txn.access().birth == 42);
  CHECK(txn.access().ledger.sum() == 0);
  CHECK(txn.get_extension<MemAttr>() != nullptr);
  CHECK(&Txn::of(txn.access()) == &txn);
  CHECK(Txn::from(txn) == &txn);
  txn.release();
}

TEST_CASE("the command follows from the class of the access") {
  TxnPool pool;
  const auto command = [&](AccessClass access_class) {
    Txn& txn = pool.make(access_class, 0, 0xf, 0);
    const tlm::tlm_command made = txn.get_command();
    txn.release();
    return made;
  };
  CHECK(command(AccessClass::load) == tlm::TLM_READ_COMMAND);
  CHECK(command(AccessClass::read_only_load) == tlm::TLM_READ_COMMAND);
  CHECK(command(AccessClass::store) == tlm::TLM_WRITE_COMMAND);
  CHECK(command(AccessClass::writeback) == tlm::TLM_WRITE_COMMAND);
  CHECK(command(AccessClass::atomic) == tlm::TLM_READ_COMMAND);
}

TEST_CASE("sectors with a gap are covered, lines of 256 bytes too") {
  TxnPool pool;
  Txn& gap = pool.make(AccessClass::store, 0x80, 0b1001, 0);
  CHECK(gap.get_address() == 0x80);
  CHECK(gap.get_data_length() == 128);
  Txn& wide = pool.make(AccessClass::load, 0x100, 0xff, 0);
  CHECK(wide.get_data_length() == 256);
  gap.release();
  wide.release();
}

TEST_CASE("a freed transaction is used again, clean") {
  TxnPool pool;
  Txn& first = pool.make(AccessClass::store, 0x80, 0xf, 7);
  first.set_response_status(tlm::TLM_OK_RESPONSE);
  first.set_dmi_allowed(true);
  first.access().slice = 3;
  first.access().depth = 2;
  first.outer = &first;
  first.release();
  Txn& again = pool.make(AccessClass::load, 0x100, 0x1, 9);
  CHECK(&again == &first);
  CHECK(pool.capacity() == 1);
  CHECK(again.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
  CHECK_FALSE(again.is_dmi_allowed());
  CHECK(again.access().slice == no_slice);
  CHECK(again.access().depth == 0);
  CHECK(again.access().birth == 9);
  CHECK(again.access().ledger.sum() == 0);
  CHECK(again.outer == nullptr);
  CHECK(again.get_ref_count() == 1);
  again.release();
}

TEST_CASE("the pool knows what has not come back") {
  TxnPool pool;
  std::vector<Txn*> held;
  for (int i = 0; i < 5; ++i)
    held.push_back(&pool.make(AccessClass::load, 128 * static_cast<Address>(i), 0xf, 0));
  CHECK(pool.in_use() == 5);
  held[2]->acquire();
  for (Txn* txn : held) txn->release();
  CHECK(pool.in_use() == 1);  // one reference to the third is left
  held[2]->release();
  CHECK(pool.in_use() == 0);
  CHECK(pool.capacity() == 5);
}

TEST_CASE("many transactions at a time, each with a place of its own") {
  TxnPool pool;
  std::vector<Txn*> held;
  for (int i = 0; i < 100; ++i) {
    held.push_back(&pool.make(AccessClass::store, 128 * static_cast<Address>(i), 0xf, 0));
    held.back()->get_data_ptr()[0] = static_cast<unsigned char>(i);
    CHECK(reinterpret_cast<std::uintptr_t>(held.back()) % alignof(Txn) == 0);
  }
  CHECK(pool.capacity() == 100);
  for (std::size_t i = 0; i < held.size(); ++i) {
    CHECK(held[i]->get_address() == 128 * i);
    CHECK(held[i]->get_data_ptr()[0] == i);
    CHECK(held[i]->get_extension<MemAttr>()->txn() == held[i]);
    held[i]->release();
  }
  CHECK(pool.in_use() == 0);
}

TEST_CASE("a third-party payload is recognized, and its extension can be copied") {
  tlm::tlm_generic_payload external;
  CHECK(Txn::from(external) == nullptr);
  auto* attr = new MemAttr;
  attr->sm = 5;
  attr->next = attr;
  external.set_extension(attr);
  tlm::tlm_generic_payload copy;
  copy.deep_copy_from(external);
  REQUIRE(copy.get_extension<MemAttr>() != nullptr);
  CHECK(copy.get_extension<MemAttr>() != attr);
  CHECK(copy.get_extension<MemAttr>()->sm == 5);
  CHECK(copy.get_extension<MemAttr>()->next == nullptr);  // links belong to the original
  CHECK(copy.get_extension<MemAttr>()->txn() == nullptr);
}

TEST_CASE("identity is copied, hop state is not") {
  Access from;
  from.sm = 3;
  from.cluster = 1;
  from.warp = 17;
  from.cta = 99;
  from.pc = 0x40;
  from.bypass_l1 = true;
  from.line = 0x80;
  Access to;
  copy_identity(from, to);
  CHECK(to.sm == 3);
  CHECK(to.cluster == 1);
  CHECK(to.warp == 17);
  CHECK(to.cta == 99);
  CHECK(to.pc == 0x40);
  CHECK(to.bypass_l1);
  CHECK(to.line == 0);
}

// Words of the wheel: blocks that take the turns of whole words themselves, and units over several words.
// One TEST_CASE = one process.

namespace {

/// Notes its name and its unit when it is visited.
class Unit final : public Block {
 public:
  Unit(sc_core::sc_module_name name, ClockDomain& clock, int units, std::vector<std::string>& notes)
      : Block(name, clock, units), notes_(notes) {}
  void advance(Cycle, int unit) override { notes_.push_back(basename() + (" " + std::to_string(unit))); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  using Block::book;

 private:
  std::vector<std::string>& notes_;
  tb::NoStats stats_;
};

/// Has numbers of the wheel instead of units: notes each visit, and the turns that it takes.
class Taker final : public Block {
 public:
  Taker(sc_core::sc_module_name name, ClockDomain& clock, std::size_t words, std::vector<std::string>& notes)
      : Block(name, clock, 0), words_(words), first_(add_turns<Taker, &Taker::visit>(words)), notes_(notes) {}
  void book_number(std::size_t number, Cycle cycle) {
    clock().wheel().book(first_ + number / 64, number, cycle);
    clock().catch_up();
  }
  void advance(Cycle, int) override { FAIL("it has no units"); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

 private:
  void visit(Cycle now) {
    std::string note = basename() + (" in " + std::to_string(now)) + ":";
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t& turns = first_[TimingWheel::place_of(now) + word];
      for (; turns != 0; turns &= turns - 1)
        note += " " + std::to_string(word * 64 + static_cast<std::size_t>(__builtin_ctzll(turns)));
    }
    notes_.push_back(note);
  }

  std::size_t words_;
  std::uint64_t* first_;
  std::vector<std::string>& notes_;
  tb::NoStats stats_;
};

using Notes = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "a block takes the turns of all its words in one visit, between those who joined before and after") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  Notes notes;
  Unit before("before", clock, 70, notes);
  Taker taker("taker", clock, 2, notes);
  Unit after("after", clock, 1, notes);
  after.book(5);
  taker.book_number(100, 5);
  taker.book_number(3, 5);
  taker.book_number(70, 5000);
  before.book(5, 69);
  sc_core::sc_start();
  CHECK(notes == Notes{"before 69", "taker in 5: 3 100", "after 0", "taker in 5000: 70"});
  CHECK(clock.wakes() == 4);
}

TEST_CASE("units of a block that do not fit into the rest of a sheet begin the next") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  Notes notes;
  Unit before("before", clock, 2000, notes);
  Unit across("across", clock, 100, notes);
  Taker taker("taker", clock, 31, notes);
  Unit after("after", clock, 1, notes);
  for (const int unit : {99, 0, 64}) across.book(4, unit);
  before.book(4, 1999);
  after.book(4);
  taker.book_number(31 * 64 - 1, 4);
  sc_core::sc_start();
  CHECK(notes == Notes{"before 1999", "across 0", "across 64", "across 99", "taker in 4: 1983", "after 0"});
}

TEST_CASE("a block with more units than the wheel has room for is refused in words") {
  ClockDomain clock("clock", Hertz(1'000'000'000));
  std::vector<std::string> notes;
  const Unit most("most", clock, 2048, notes);
  try {
    const Unit many("many", clock, 2049, notes);
    FAIL("it was made");
  } catch (const sc_core::sc_report& report) {
    CHECK(std::string(report.get_msg()).find("more units than 2048") != std::string::npos);
  }
}
