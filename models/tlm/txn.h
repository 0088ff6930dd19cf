#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <typeinfo>

#include <tlm>

#include "models/common/access.h"

namespace strata {

class Txn;
class TxnPool;

/// The one payload extension: who asked, for what, and where the time went. Set by the originator. External
/// modules reach it with `payload.get_extension<strata::MemAttr>()`.
class MemAttr final : public tlm::tlm_extension<MemAttr>, public Access {
 public:
  explicit MemAttr(Txn* txn = nullptr) : txn_(txn) {}
  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
  void free() override;
  Txn* txn() const { return txn_; }

 private:
  friend class Txn;
  Txn* txn_;  // the payload that embeds this extension; null for one that a user made
};

/// A generic payload with its extension in one piece, and with its data buffer. Made by a TxnPool.
///
/// Strata's blocks look at its access(), third-party modules at the attributes of the payload.
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
  /// The Txn behind a payload, or null if an external module made the payload.
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

  /// The payload leaves Strata's blocks, or is held: its attributes are written, and its references count.
  void show() {
    if (attr_.shown == 0) write_attributes();
    attr_.shown = 1;
  }
  void acquire() {
    show();
    tlm_generic_payload::acquire();
  }

  /// Room for byte enables, made at the first need; see payload_bytes.h.
  unsigned char* enables();

  /// Creator's own: the access on whose behalf this one was made.
  Access*& cause() { return attr_.cause; }
  const Access* cause() const { return attr_.cause; }

  tlm::tlm_generic_payload* outer =
      nullptr;  ///< external payload that this one stands for inside the platform

 private:
  friend class TxnPool;
  void write_attributes();  ///< as they follow from class, line and sectors, with one reference
  static constexpr std::size_t most_bytes = 256;
  std::unique_ptr<unsigned char[]> data_, enables_;  // made at the first need
  MemAttr attr_;
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

/// Copy who asked (sm, cluster, warp, application, cta, kernel, pc, the hint bits and whether it is a
/// prefetch) from one access to another.
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
  to.prefetch = from.prefetch;
  if (to.access_class == AccessClass::atomic && from.access_class == AccessClass::atomic) [[unlikely]] {
    to.reduces = from.reduces;
    to.lanes = from.lanes;
  }
}

}  // namespace strata
