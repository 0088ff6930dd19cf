#include "traces/workloads/host_data.h"

#include <unistd.h>

#include "models/common/input_file.h"
#include "traces/workloads/references/all.h"

namespace strata::traces {
namespace {

#define STRATA_ROW(name) {#name, references::name},
#define STRATA_ROW_BOTH(name) {#name, references::name, references::prepare_##name},
constexpr Reference all_references[] = {STRATA_REFERENCES(STRATA_ROW, STRATA_ROW_BOTH)};
#undef STRATA_ROW
#undef STRATA_ROW_BOTH

[[noreturn]] void fail(const SourcePosition& where, std::string message) {
  throw ConfigError(Faults{{where, std::move(message)}});
}

template <class T>
void fill_typed(const BufferFill& fill, RandomStream random, std::vector<std::uint8_t>& bytes) {
  T* const to = reinterpret_cast<T*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(T);
  constexpr bool whole = std::is_integral<T>::value;
  switch (fill.kind) {
    case BufferFill::Kind::value:
      if (fill.first != 0) std::fill_n(to, count, static_cast<T>(fill.first));
      break;
    case BufferFill::Kind::index:
      for (std::size_t i = 0; i < count; ++i)
        to[i] = static_cast<T>(fill.first + static_cast<double>(i) * fill.second);
      break;
    case BufferFill::Kind::uniform:
      for (std::size_t i = 0; i < count; ++i) {
        if (whole) {
          // Unsigned, since the distance of two signed numbers of 64 bits can exceed them.
          const auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(fill.first)),
                     high = static_cast<std::uint64_t>(static_cast<std::int64_t>(fill.second));
          to[i] = static_cast<T>(low + random.below(high - low + 1));
        } else {
          to[i] = static_cast<T>(fill.first + random.real() * (fill.second - fill.first));
        }
      }
      break;
    case BufferFill::Kind::permutation:
      for (std::size_t i = 0; i < count; ++i) {  // Fisher-Yates, inside out
        const std::size_t j = random.below(i + 1);
        to[i] = to[j];
        to[j] = static_cast<T>(i);
      }
      break;
    default:
      break;
  }
}

void fill_buffer(const WorkloadBuffer& buffer, std::uint64_t seed, std::vector<std::uint8_t>& bytes) {
  const RandomStream random(seed);
  switch (buffer.type) {
    case ElementType::u8:
      return fill_typed<std::uint8_t>(buffer.fill, random, bytes);
    case ElementType::i8:
      return fill_typed<std::int8_t>(buffer.fill, random, bytes);
    case ElementType::u16:
      return fill_typed<std::uint16_t>(buffer.fill, random, bytes);
    case ElementType::i16:
      return fill_typed<std::int16_t>(buffer.fill, random, bytes);
    case ElementType::u32:
      return fill_typed<std::uint32_t>(buffer.fill, random, bytes);
    case ElementType::i32:
      return fill_typed<std::int32_t>(buffer.fill, random, bytes);
    case ElementType::u64:
      return fill_typed<std::uint64_t>(buffer.fill, random, bytes);
    case ElementType::i64:
      return fill_typed<std::int64_t>(buffer.fill, random, bytes);
    case ElementType::f32:
      return fill_typed<float>(buffer.fill, random, bytes);
    case ElementType::f64:
      return fill_typed<double>(buffer.fill, random, bytes);
  }
}

void read_into(const WorkloadBuffer& buffer, std::vector<std::uint8_t>& bytes) {
  try {
    const InputFile file(buffer.fill.file);
    if (file.size() != bytes.size())
      fail(buffer.where, "buffer '" + buffer.name + "' is " +
                             (file.size() > bytes.size() ? "too small" : "too large") + ": it holds " +
                             std::to_string(bytes.size()) + " B, '" + buffer.fill.file + "' " +
                             std::to_string(file.size()) + " B");
    file.read_at(0, reinterpret_cast<char*>(bytes.data()), bytes.size());
  } catch (const InputError& error) {
    fail(buffer.where,
         "buffer '" + buffer.name + "': cannot read '" + buffer.fill.file + "': " + error.what());
  }
}

/// In bytes. With more the system would kill the process instead of refusing the memory.
std::uint64_t memory_of_machine() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

HostData::HostData(const WorkloadDefinition& workload) : workload_(workload) {
  const std::uint64_t most = memory_of_machine();
  std::uint64_t total = 0;
  for (const WorkloadBuffer& buffer : workload.buffers) {
    total += buffer.bytes();
    if (total > most)
      fail(buffer.where, "buffers up to '" + buffer.name + "' take " + std::to_string(total) +
                             " B; this machine has " + std::to_string(most) + " B of memory");
    data_.emplace_back(buffer.bytes());
    if (buffer.fill.kind == BufferFill::Kind::file)
      read_into(buffer, data_.back());
    else
      fill_buffer(buffer, seed_of(buffer.name), data_.back());
  }
}

std::uint64_t HostData::seed_of(const std::string& buffer) const {
  std::uint64_t hash = 0xcbf29ce484222325U ^ workload_.seed;  // FNV-1a over the name
  for (const char c : buffer) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::int64_t HostData::value(const std::string& name) const {
  const auto found = workload_.values.find(name);
  if (found != workload_.values.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& pair : workload_.values) known.push_back(pair.first);
  fail(workload_.reference_where, "reference '" + workload_.reference + "' needs a value '" + name +
                                      "' in 'scales' or 'values'" + suggestion(name, known));
}

std::size_t HostData::find(const std::string& name, ElementType type, ElementType also,
                           std::uint64_t least) const {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < workload_.buffers.size(); ++i) {
    const WorkloadBuffer& buffer = workload_.buffers[i];
    known.push_back(buffer.name);
    if (buffer.name != name) continue;
    if (buffer.type != type && buffer.type != also)
      fail(buffer.where, "buffer '" + name + "' holds " + to_text(buffer.type) + "; reference '" +
                             workload_.reference + "' needs " + to_text(type));
    if (buffer.count < least)
      fail(buffer.where, "buffer '" + name + "' is too small: it holds " + std::to_string(buffer.count) +
                             " elements, reference '" + workload_.reference + "' needs " +
                             std::to_string(least));
    return i;
  }
  fail(workload_.reference_where,
       "reference '" + workload_.reference + "' needs a buffer '" + name + "'" + suggestion(name, known));
}

const Reference* find_reference(const std::string& name) {
  for (const Reference& reference : all_references)
    if (name == reference.name) return &reference;
  return nullptr;
}

std::vector<std::string> reference_names() {
  std::vector<std::string> names;
  for (const Reference& reference : all_references) names.emplace_back(reference.name);
  return names;
}

}  // namespace strata::traces
