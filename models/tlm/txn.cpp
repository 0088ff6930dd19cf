#include "models/tlm/txn.h"

namespace strata {
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

void TxnPool::grow() {
  made_.push_back(std::make_unique<Txn>(*this));
  made_.back()->attr_.next = nullptr;
  free_list_ = &made_.back()->attr_;
  ++free_count_;
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
