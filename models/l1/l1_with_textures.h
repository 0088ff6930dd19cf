#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "models/l1/l1_private.h"
#include "models/l1/queued_accesses_if.h"

namespace strata {

/// The data of an L1 and a texture cache beside them (GPGPU-Sim: `-gpgpu_tex_cache:l1`), behind one port and
/// in front of one miss queue. Loads of the texture path see the texture cache alone, all others the data.
///
/// The texture cache has whole lines, plain sets and LRU, and does not see stores. Its hits do not wait
/// behind earlier misses, as they do in the FIFO of a texture unit.
template <class Data>
class L1WithTextures final : public CacheDesign, public QueuedAccessesIf {
 public:
  using Params = typename Data::Params;
  using Stats = typename Data::Stats;
  static constexpr bool queues_accesses = Data::queues_accesses;

  /// `others...`: what Data takes beside its parameters.
  template <class... Others,
            class = std::enable_if_t<std::is_constructible_v<Data, const Params&, Others...>>>
  explicit L1WithTextures(const Params& params, Others&&... others)
      : CacheDesign(0), data_(params, std::forward<Others>(others)...), textures_(texture_params(params)) {
    fetch_count_ = data_.fetches() + textures_.fetches();
  }

  L1Decision lookup(Access& access, Cycle now, bool room) override {
    if (!takes_texture_path(access)) return data_.lookup(access, now, room);
    L1Decision decision = textures_.lookup(access, now, room);
    decision.fetch = static_cast<std::int16_t>(decision.fetch + data_.fetches());
    return decision;
  }
  AccessFifo fill(int fetch) override {
    const int first = data_.fetches();
    return fetch < first ? data_.fill(fetch) : textures_.fill(fetch - first);
  }
  void flush() override {
    data_.flush();
    textures_.flush();
  }
  bool take_write_back(L1WriteBack& out) override { return data_.take_write_back(out); }
  void write_back_all() override { data_.write_back_all(); }
  void share(std::uint64_t shared_bytes) override { data_.share(shared_bytes); }
  bool contains(Address line, std::uint8_t sectors = 0xf) const override {
    return data_.contains(line, sectors) || textures_.contains(line, sectors);
  }
  bool contains_some(Address line, std::uint8_t sectors) const override {
    return data_.contains_some(line, sectors) || textures_.contains(line, sectors);
  }
  Address victim(Address line) const override { return data_.victim(line); }
  const Params& params() const override { return data_.params(); }
  Stats& stats() override { return data_.stats(); }
  void reset_stats() override { data_.reset_stats(); }

  // The queues of the data, which loads of either kind wait in.
  bool enter([[maybe_unused]] Access& access) override {
    if constexpr (queues_accesses) return data_.enter(access);
    return false;
  }
  Cycle earliest() const override {
    if constexpr (queues_accesses) return data_.earliest();
    return never;
  }
  Access& take([[maybe_unused]] Cycle now) override {
    if constexpr (queues_accesses) return data_.take(now);
    throw std::logic_error("an L1 without queues");
  }
  void put_back([[maybe_unused]] Access& access) override {
    if constexpr (queues_accesses) data_.put_back(access);
  }

 private:
  static L1PrivateParams texture_params(const Params& params) {
    L1PrivateParams texture;
    texture.line = params.texture_line_or(params.line);
    texture.ways = params.texture_ways;
    texture.size =
        Bytes(static_cast<std::uint64_t>(params.texture_sets * params.texture_ways) * texture.line);
    texture.set_index = SetIndex::Kind::plain;
    texture.mshrs = texture.merges = 128;  // GPGPU-Sim's GTX 480: F:128:4,128:2, places in the FIFO
    return texture;
  }

  Data data_;
  L1Private textures_;
};

}  // namespace strata
