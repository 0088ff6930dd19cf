// Words of the wheel: blocks that take the turns of whole words themselves, and units over several words.
// One TEST_CASE = one process.
#include <string>

#include "models/tlm/block.h"
#include "tb/support/catch.h"
#include "tb/support/no_stats.h"

using namespace strata;

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
