// Pooled payloads: attributes, reuse and the count of leaks.

#include "models/tlm/txn_pool.h"
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

TEST_CASE("a payload of somebody else is recognized, and its extension can be copied") {
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
