#include "traces/ptx/global_memory.h"

#include <algorithm>
#include <iterator>
#include <sys/mman.h>
#include <utility>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "traces/ptx/decode/op.h"
#include "traces/ptx/ptx.h"
#include "traces/ptx/text/module.h"

namespace strata::traces {
namespace {

constexpr std::uint64_t largest_allocation = std::uint64_t{1} << 40;
constexpr std::uint64_t page = 4096;

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

std::uint64_t mark_set(std::uint64_t* bitmap, std::uint64_t first, std::uint64_t count) {
  std::uint64_t fresh = 0;
  while (count > 0) {
    const std::uint64_t bit = first % 64, n = std::min<std::uint64_t>(64 - bit, count);
    const std::uint64_t mask = (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << bit;
    std::uint64_t& word = bitmap[first / 64];
    fresh += static_cast<std::uint64_t>(__builtin_popcountll(mask & ~word));
    word |= mask;
    first += n;
    count -= n;
  }
  return fresh;
}

std::uint64_t mark_unset(std::uint64_t* bitmap, std::uint64_t first, std::uint64_t count) {
  std::uint64_t lost = 0;
  for (std::uint64_t i = first; i < first + count; ++i) {
    std::uint64_t& word = bitmap[i / 64];
    lost += word >> (i % 64) & 1;
    word &= ~(std::uint64_t{1} << (i % 64));
  }
  return lost;
}

GlobalMemory::~GlobalMemory() {
  release();
}

GlobalMemory::GlobalMemory(GlobalMemory&& other) noexcept {
  *this = std::move(other);
}

GlobalMemory& GlobalMemory::operator=(GlobalMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  allocations_ = std::exchange(other.allocations_, {});
  copies_ = std::exchange(other.copies_, {});
  symbols_ = std::exchange(other.symbols_, {});
  modules_ = std::exchange(other.modules_, {});
  next_ = std::exchange(other.next_, first_address);
  heap_bytes_ = other.heap_bytes_;
  heap_ = std::exchange(other.heap_, 0);
  grid_workspace_ = std::exchange(other.grid_workspace_, 0);
  textures_ = std::exchange(other.textures_, {});
  made_textures_ = other.made_textures_;
  heap_blocks_ = std::exchange(other.heap_blocks_, {});
  holes_ = std::exchange(other.holes_, {});
  reserves_ = other.reserves_;
  reserved_ = std::exchange(other.reserved_, first_address);
  allocated_bytes_ = std::exchange(other.allocated_bytes_, 0);
  return *this;
}

void GlobalMemory::unmap(const Allocation& a) {
  if (a.placed) return;
  if (a.of_host) ::munmap(a.set, round_up(a.bytes / 8 + 8, page));
  if (a.registered) return;
  ::munmap(a.data, a.of_host ? round_up(a.bytes, page) : a.mapped_bytes);
}

void GlobalMemory::release() {
  for (const Allocation& a : allocations_) unmap(a);
  allocations_.clear();
}

/// Reserves host addresses from `from` on that hold nothing else: pages for the device, many at once. Skips
/// addresses that are already mapped.
Address GlobalMemory::reserve(Address from, std::uint64_t bytes) {
  constexpr std::uint64_t at_once = std::uint64_t{1} << 30;
  while (from + bytes > reserved_) {
    const std::uint64_t size = round_up(std::max(at_once, from + bytes - reserved_), page);
    void* const at = reinterpret_cast<void*>(reserved_);
    void* const got =
        ::mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == at) {
      reserved_ += size;
      continue;
    }
    if (got != MAP_FAILED) ::munmap(got, size);  // the kernel took the address only as a hint
    reserved_ += at_once;
    from = reserved_;
    if (reserved_ >= std::uint64_t{1} << 47)
      throw ConfigError("device memory: no addresses are left on this host");
  }
  return from;
}

/// The lowest hole that is large enough, or the end. `align` is a power of two.
Address GlobalMemory::find_hole(std::uint64_t bytes, std::uint64_t align) {
  const std::uint64_t wanted = bytes + alignment;  // two allocations have unmapped bytes between them
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    const Address at = round_up(hole->first, align), end = hole->first + hole->second;
    const Address behind = round_up(at + wanted, align);
    if (behind > end) continue;
    const Address first = hole->first;
    holes_.erase(hole);
    if (at > first) holes_[first] = at - first;
    if (behind < end) holes_[behind] = end - behind;
    return at;
  }
  Address at = round_up(next_, align);
  if (reserves_) at = reserve(at, round_up(bytes, align));
  next_ = round_up(at + wanted, align);
  return at;
}

GlobalMemory::Allocation& GlobalMemory::insert(Allocation a) {
  if (!a.placed) allocated_bytes_ += a.bytes;
  const auto behind =
      std::upper_bound(allocations_.begin(), allocations_.end(), a.address,
                       [](Address value, const Allocation& one) { return value < one.address; });
  return *allocations_.insert(behind, std::move(a));
}

namespace {

std::string label_of(const std::string& name, std::size_t count) {
  return name.empty() ? "allocation " + std::to_string(count) : name;
}

void* map_pages(void* at, std::uint64_t bytes, int more, const std::string& label) {
  void* mapped =
      ::mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more, -1, 0);
  if (mapped == MAP_FAILED)
    throw ConfigError("device memory '" + label + "': the host cannot provide " + std::to_string(bytes) +
                      " B");
  return mapped;
}

}  // namespace

Address GlobalMemory::allocate(std::uint64_t bytes, const std::string& name) {
  const std::string label = label_of(name, allocations_.size());
  if (bytes == 0 || bytes > largest_allocation)
    throw ConfigError("device memory '" + label + "': expected 1 B to 1 TiB, found " + std::to_string(bytes) +
                      " B");
  Allocation a;
  a.name = label;
  a.bytes = bytes;
  a.unset_bytes = bytes;
  const std::uint64_t data_bytes = round_up(bytes, page);
  a.mapped_bytes = data_bytes + round_up(bytes / 8 + 8, page);
  a.data = static_cast<std::uint8_t*>(map_pages(nullptr, a.mapped_bytes, 0, label));
  a.set = reinterpret_cast<std::uint64_t*>(a.data + data_bytes);
  a.address = find_hole(bytes, alignment);
  return insert(std::move(a)).address;
}

Address GlobalMemory::allocate_of_host(std::uint64_t bytes, const std::string& name) {
  const std::string label = label_of(name, allocations_.size());
  if (bytes == 0 || bytes > largest_allocation)
    throw ConfigError("device memory '" + label + "': expected 1 B to 1 TiB, found " + std::to_string(bytes) +
                      " B");
  reserves_ = true;
  const Address at = find_hole(round_up(bytes, page), page);
  void* const data = map_pages(reinterpret_cast<void*>(at), round_up(bytes, page), MAP_FIXED, label);
  Allocation a;
  a.name = label;
  a.address = at;
  a.bytes = bytes;
  a.of_host = true;
  a.data = static_cast<std::uint8_t*>(data);
  a.set = static_cast<std::uint64_t*>(map_pages(nullptr, round_up(bytes / 8 + 8, page), 0, label));
  return insert(std::move(a)).address;
}

void GlobalMemory::register_host(void* data, std::uint64_t bytes, const std::string& name) {
  Allocation a;
  a.name = name;
  a.address = reinterpret_cast<Address>(data);
  a.bytes = bytes;
  a.of_host = a.registered = true;
  if (bytes == 0) throw ConfigError("device memory '" + name + "': expected at least 1 B, found 0 B");
  for (const Allocation& one : allocations_)
    if (a.address < one.end() && one.address < a.end())
      throw ConfigError("device memory '" + name + "': '" + one.name + "' is there already");
  a.data = static_cast<std::uint8_t*>(data);
  a.set = static_cast<std::uint64_t*>(map_pages(nullptr, round_up(bytes / 8 + 8, page), 0, name));
  insert(std::move(a));
}

bool GlobalMemory::free(Address address) {
  const Allocation* const found = find(address);
  if (found == nullptr || found->address != address || found->placed) return false;
  const Allocation a = *found;
  allocated_bytes_ -= a.bytes;
  allocations_.erase(allocations_.begin() + (found - allocations_.data()));
  unmap(a);
  if (a.registered) return true;
  std::uint64_t size = round_up(a.bytes + alignment, a.of_host ? page : alignment);
  if (a.of_host) {  // the host no longer finds memory there
    size = round_up(round_up(a.bytes, page) + alignment, page);
    ::mmap(reinterpret_cast<void*>(address), round_up(a.bytes, page), PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  give_back(address, size);
  return true;
}

/// Frees a range and merges it with adjacent holes.
void GlobalMemory::give_back(Address address, std::uint64_t bytes) {
  auto hole = holes_.emplace(address, bytes).first;
  const auto next = std::next(hole);
  if (next != holes_.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    holes_.erase(next);
  }
  if (hole == holes_.begin()) return;
  const auto before = std::prev(hole);
  if (before->first + before->second == hole->first) {
    before->second += hole->second;
    holes_.erase(hole);
  }
}

void GlobalMemory::forget(Address address) {
  Allocation& a = *find(address);
  a.unset_bytes += mark_unset(a.set, 0, a.bytes);
}

void GlobalMemory::make_heap() {
  if (heap_ == 0) heap_ = allocate(heap_bytes_, "the heap of malloc");
}

std::uint64_t GlobalMemory::add_texture(const PtxTexture& texture) {
  textures_[++made_textures_] = texture;
  return made_textures_;
}

const PtxTexture* GlobalMemory::texture(std::uint64_t handle) const {
  const auto found = textures_.find(handle);
  return found == textures_.end() ? nullptr : &found->second;
}

Address GlobalMemory::grid_workspace(bool clear) {
  constexpr std::uint64_t bytes = 64;
  if (grid_workspace_ == 0) grid_workspace_ = allocate(bytes, "the grid's barrier");
  if (clear) fill(grid_workspace_, 0, bytes);
  return grid_workspace_;
}

/// First fit.
Address GlobalMemory::heap_allocate(std::uint64_t bytes) {
  constexpr std::uint64_t unit = 16;
  if (bytes == 0 || bytes > heap_bytes_) return 0;
  bytes = round_up(bytes, unit);
  Address at = heap_;
  for (const auto& [begin, size] : heap_blocks_) {
    if (begin - at >= bytes) break;
    at = begin + size;
  }
  if (heap_ + heap_bytes_ - at < bytes) return 0;
  heap_blocks_[at] = bytes;
  Allocation& a = *find(heap_);
  a.unset_bytes += mark_unset(a.set, at - heap_, bytes);
  return at;
}

bool GlobalMemory::heap_free(Address address) {
  return heap_blocks_.erase(address) != 0;
}

bool GlobalMemory::in_page(Address address) const {
  constexpr Address page_bytes = Address{1} << 21;
  const Address begin = address / page_bytes * page_bytes, end = begin + page_bytes;
  static_assert(first_address % page_bytes == 0, "a page begins with the first allocation");
  if (end == first_address)
    return !allocations_.empty();  // a driver has memory of its own before the first allocation
  auto after = std::lower_bound(allocations_.begin(), allocations_.end(), end,
                                [](const Allocation& a, Address value) { return a.address < value; });
  return after != allocations_.begin() && (--after)->end() > begin;
}

const GlobalMemory::Allocation* GlobalMemory::find(Address address) const {
  auto after = std::upper_bound(allocations_.begin(), allocations_.end(), address,
                                [](Address value, const Allocation& a) { return value < a.address; });
  if (after == allocations_.begin()) return nullptr;
  --after;
  return address < after->end() ? &*after : nullptr;
}

GlobalMemory::Allocation* GlobalMemory::find(Address address) {
  return const_cast<Allocation*>(static_cast<const GlobalMemory&>(*this).find(address));
}

GlobalMemory::Allocation& GlobalMemory::range(Address address, std::uint64_t bytes, const char* what) {
  Allocation* a = find(address);
  if (a == nullptr || bytes > a->end() - address)
    throw ConfigError(std::string(what) + " of " + std::to_string(bytes) + " B at " + hex_text(address) +
                      (a == nullptr ? ": no device memory there"
                                    : ": past the end of '" + a->name + "' (" + std::to_string(a->bytes) +
                                          " B at " + hex_text(a->address) + ")"));
  return *a;
}

void GlobalMemory::write(Address to, const void* from, std::uint64_t bytes) {
  if (bytes == 0) return;
  Allocation& a = range(to, bytes, "copy to the device");
  std::memcpy(a.data + (to - a.address), from, bytes);
  if (a.unset_bytes != 0) a.unset_bytes -= mark_set(a.set, to - a.address, bytes);
  copies_.push_back({to, bytes, 0});
}

void GlobalMemory::fill(Address to, std::uint8_t byte, std::uint64_t bytes) {
  if (bytes == 0) return;
  Allocation& a = range(to, bytes, "fill");
  std::memset(a.data + (to - a.address), byte, bytes);
  if (a.unset_bytes != 0) a.unset_bytes -= mark_set(a.set, to - a.address, bytes);
}

void GlobalMemory::read(Address from, void* to, std::uint64_t bytes) const {
  if (bytes == 0) return;
  const Allocation& a = const_cast<GlobalMemory*>(this)->range(from, bytes, "copy from the device");
  std::memcpy(to, a.data + (from - a.address), bytes);
}

bool GlobalMemory::has_variables_of(const PtxProgram& program) const {
  return std::find(modules_.begin(), modules_.end(), program.identity()) != modules_.end();
}

void GlobalMemory::add_variables(const PtxProgram& program) {
  if (has_variables_of(program)) return;
  modules_.push_back(program.identity());
  const auto prefix = std::to_string(program.identity()) + ":";
  const auto& variables = program.module().variables;
  const auto lives_here = [](const ptx::Variable& v) {
    return (v.space == ptx::Space::global || v.space == ptx::Space::constant) && v.bytes != 0;
  };
  for (const ptx::Variable& v : variables) {
    if (!lives_here(v)) continue;
    const Address at = v.managed && reserves_ ? allocate_of_host(v.bytes, v.name) : allocate(v.bytes, v.name);
    Allocation& a = *find(at);
    if (!v.init.empty()) std::memcpy(a.data, v.init.data(), v.init.size());
    mark_set(a.set, 0, v.bytes);  // variables without initial value are 0
    a.unset_bytes = 0;
    a.constant = v.space == ptx::Space::constant;
    symbols_[prefix + v.name] = at;
    symbols_[v.name] = at;
  }
  for (const ptx::Variable& v : variables)
    for (const ptx::Variable::Pointer& pointer : v.pointers) {
      const auto found = symbols_.find(prefix + pointer.symbol);
      const bool function = program.module().find_function(pointer.symbol) != nullptr;
      if (!lives_here(v) || (found == symbols_.end() && !function) || pointer.at + v.type.bytes() > v.bytes)
        continue;
      const std::uint64_t value =
          function ? ptx::function_address(program.module().function_number(pointer.symbol))
                   : found->second + static_cast<std::uint64_t>(pointer.addend);
      Allocation* a = find(symbols_[prefix + v.name]);
      std::memcpy(a->data + pointer.at, &value, std::min<std::size_t>(8, v.type.bytes()));
    }
}

Address GlobalMemory::symbol(const std::string& name) const {
  const auto found = symbols_.find(name);
  if (found != symbols_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& entry : symbols_)
    if (entry.first.find(':') == std::string::npos) names.push_back(entry.first);
  throw ConfigError("no device variable '" + name + "'" + suggestion(name, names));
}

// Reserved addresses, and memory of the caller placed in them.

Address GlobalMemory::reserve_range(std::uint64_t bytes, std::uint64_t align) {
  return find_hole(bytes, align);
}

void GlobalMemory::release_range(Address at, std::uint64_t bytes, std::uint64_t align) {
  give_back(at, (at + bytes + alignment + align - 1) / align * align - at);
}

void GlobalMemory::place(Allocation allocation) {
  allocation.placed = true;
  insert(std::move(allocation));
}

void GlobalMemory::displace(Address address) {
  const Allocation* const found = find(address);
  if (found != nullptr && found->placed && found->address == address)
    allocations_.erase(allocations_.begin() + (found - allocations_.data()));
}

}  // namespace strata::traces
