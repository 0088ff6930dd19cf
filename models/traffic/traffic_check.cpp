#include "models/traffic/traffic_check.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "models/tlm/payload_bytes.h"

namespace strata {

TrafficCheck::TrafficCheck(const TrafficParams& params, std::uint64_t seed, int first_port, int count,
                           int all, std::shared_ptr<void>* shared)
    : line_(params.line.count),
      footprint_(params.footprint.count),
      atomics_at_(RandomStream::threshold(params.atomics)),
      local_at_(RandomStream::threshold(params.local)),
      overlap_(params.overlap),
      first_(first_port),
      all_(all) {
  open_.resize(static_cast<std::size_t>(count));
  for (int p = 0; p < count; ++p)
    streams_.emplace_back(RandomStream(seed + static_cast<unsigned>(first_port + p)).next());
  if (shared != nullptr && *shared != nullptr) {
    memory_ = std::static_pointer_cast<Memory>(*shared);
    return;
  }
  memory_ = std::make_shared<Memory>();
  memory_->bytes.resize(footprint_);
  memory_->sums.resize(counter_lines * line_ / 4);
  if (shared != nullptr) *shared = memory_;
}

bool TrafficCheck::is_open(int port, Address line) const {
  const std::vector<Address>& lines = open_[static_cast<std::size_t>(port)];
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TrafficAccess TrafficCheck::draw(int port, TrafficAccess drawn) {
  RandomStream& random = stream(port);
  const auto every = static_cast<unsigned>((1ULL << line_ / sector_bytes) - 1);
  if (random.next53() < atomics_at_) {
    drawn = {AccessClass::atomic, footprint_ + random.below(counter_lines) * line_};
    sectors_ = static_cast<std::uint8_t>(1U << random.below(line_ / sector_bytes));
    return drawn;
  }
  while (is_open(port, drawn.line)) drawn.line = (drawn.line + line_) % footprint_;
  sectors_ = static_cast<std::uint8_t>(random.below(4) == 0 ? every : 1 + random.below(every));
  if (drawn.access_class != AccessClass::store) return drawn;
  unsigned owned = 0;
  for (Address word = drawn.line; word < drawn.line + line_; word += 4)
    if (owns(port, word)) owned |= 1U << (word - drawn.line) / sector_bytes;
  if ((sectors_ & owned) != 0) owned &= sectors_;
  if (owned == 0) return {AccessClass::load, drawn.line};  // more ports than words: none of its own here
  sectors_ = static_cast<std::uint8_t>(owned);
  return drawn;
}

void TrafficCheck::begin(Txn& txn, int port) {
  if (!overlap_) open_[static_cast<std::size_t>(port)].push_back(txn.access().line);
  if (txn.access().access_class == AccessClass::store) return begin_store(txn, port);
  if (txn.access().access_class == AccessClass::atomic) return begin_atomic(txn, port);
  Line& wanted = wanted_[&txn];
  for_each_sector(txn, [&](Address sector, unsigned char*, ByteMask) {
    std::memcpy(&wanted[sector - txn.access().line], &memory_->bytes[sector], sector_bytes);
  });
}

// Some bytes of its own in each sector: single ones, words, or all of them.
void TrafficCheck::begin_store(Txn& txn, int port) {
  RandomStream& random = stream(port);
  const std::uint64_t kind = random.below(3);
  begin_enables(txn);
  for_each_sector(txn, [&](Address sector, unsigned char* bytes, ByteMask) {
    const auto drawn = kind == 0 ? all_bytes : static_cast<ByteMask>(random.next());
    ByteMask which = 0;
    for (unsigned i = 0; i < sector_bytes; ++i)
      if (owns(port, sector + i) && (drawn >> (kind == 1 ? i / 4 * 4 : i) & 1U) != 0) which |= 1U << i;
    for (ByteMask rest = which; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<unsigned>(__builtin_ctz(rest));
      unsigned char& byte = memory_->bytes[sector + i];
      byte = static_cast<unsigned char>(((byte & 0xfcU) + 4) | mark(sector + i));
      bytes[i] = byte;
    }
    enable(txn, sector, which);
  });
}

void TrafficCheck::begin_atomic(Txn& txn, int port) {
  RandomStream& random = stream(port);
  begin_enables(txn);
  for_each_sector(txn, [&](Address sector, unsigned char* bytes, ByteMask) {
    const ByteMask words = static_cast<ByteMask>(1 + random.below(255));  // bit i: word i
    for (unsigned w = 0; w < sector_bytes / 4; ++w) {
      if ((words >> w & 1U) == 0) continue;
      const auto operand = static_cast<std::uint32_t>(1 + random.below(1000));
      std::memcpy(bytes + 4 * w, &operand, sizeof operand);
      memory_->sums[(sector - footprint_) / 4 + w] += operand;
      enable(txn, sector, 0xfU << 4 * w);
    }
  });
}

void TrafficCheck::compare(Address address, unsigned char found, unsigned char wanted, bool exact,
                           std::string& fault) {
  ++checked_;
  const bool right = exact ? found == wanted : found == 0 || (found & 3U) == mark(address);
  if (right) return;
  ++wrong_;
  if (!fault.empty()) return;
  char text[128];
  std::snprintf(text, sizeof text, "byte 0x%llx is 0x%02x%s", static_cast<unsigned long long>(address), found,
                exact ? "" : ", which no access has written there");
  fault = text;
  if (!exact) return;
  std::snprintf(text, sizeof text, ", not 0x%02x as its only writer has written it", wanted);
  fault += text;
}

std::string TrafficCheck::end(Txn& txn, int port) {
  std::string fault;
  if (const auto found = wanted_.find(&txn); found != wanted_.end()) {
    const Line& wanted = found->second;
    for_each_sector(txn, [&](Address sector, const unsigned char* bytes, ByteMask) {
      for (unsigned i = 0; i < sector_bytes; ++i)
        compare(sector + i, bytes[i], wanted[sector + i - txn.access().line], owns(port, sector + i), fault);
    });
    wanted_.erase(found);
  } else if (txn.access().access_class == AccessClass::atomic) {
    for_each_sector(txn, [&](Address sector, const unsigned char* bytes, ByteMask which) {
      for (unsigned i = 0; i < sector_bytes; i += 4) {
        if ((which >> i & 1U) == 0) continue;
        std::uint32_t old = 0;
        std::memcpy(&old, bytes + i, sizeof old);
        checked_ += 4;
        if (old < memory_->sums[(sector - footprint_ + i) / 4]) continue;
        wrong_ += 4;
        fault = "an atomic returns " + std::to_string(old) + " of a counter to which less has been added";
      }
    });
  }
  end_enables(txn);
  if (overlap_) return fault;
  std::vector<Address>& lines = open_[static_cast<std::size_t>(port)];
  lines.erase(std::find(lines.begin(), lines.end(), txn.access().line));
  return fault;
}

// By sectors, which no boundary between slices cuts.
std::string TrafficCheck::check_memory(InitiatorPort& socket, int port) {
  std::string fault;
  MemAttr who;
  who.sm = static_cast<std::uint16_t>(first_ + port);
  unsigned char found[sector_bytes] = {};
  const auto read = [&](Address sector) {
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(sector);
    payload.set_data_ptr(found);
    payload.set_data_length(sector_bytes);
    payload.set_streaming_width(sector_bytes);
    payload.set_extension(&who);
    if (socket.debug(payload) != sector_bytes && fault.empty()) fault = "memory has no transport_dbg";
    payload.clear_extension(&who);
  };
  for (Address sector = 0; sector < footprint_; sector += sector_bytes) {
    const auto* const bytes = &memory_->bytes[sector];
    bool any = false;
    for (unsigned i = 0; i < sector_bytes; ++i) any = any || (bytes[i] != 0 && owns(port, sector + i));
    if (!any) continue;
    read(sector);
    for (unsigned i = 0; i < sector_bytes; ++i)
      if (owns(port, sector + i)) compare(sector + i, found[i], bytes[i], true, fault);
  }
  for (std::size_t word = 0; word < memory_->sums.size() && atomics_at_ != 0; ++word) {
    if (word * 4 % sector_bytes == 0) read(footprint_ + word * 4);
    std::uint32_t sum = 0;
    std::memcpy(&sum, found + word * 4 % sector_bytes, sizeof sum);
    checked_ += 4;
    if (sum == memory_->sums[word]) continue;
    wrong_ += 4;
    if (fault.empty())
      fault = "counter " + std::to_string(word) + " is " + std::to_string(sum) + ", not the sum " +
              std::to_string(memory_->sums[word]);
  }
  return fault;
}

}  // namespace strata
