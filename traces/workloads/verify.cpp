// Outputs against the reference, bit for bit or within a stated error.
#include <cmath>
#include <sstream>

#include "models/common/input_file.h"
#include "traces/workloads/workload.h"

namespace strata::traces {
namespace {

template <class T>
void compare_typed(const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& want,
                   const WorkloadOutput& output, OutputReport& report) {
  for (std::size_t i = 0; i < report.elements; ++i) {
    T a, b;
    std::memcpy(&a, got.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&b, want.data() + i * sizeof(T), sizeof(T));
    if (std::memcmp(&a, &b, sizeof(T)) == 0) continue;
    const double x = static_cast<double>(a), y = static_cast<double>(b), error = std::fabs(x - y);
    if (error > report.worst_error) report.worst_error = error;
    // Written so that a NaN, whose comparisons are all false, counts as wrong.
    if (!output.exact && error <= output.absolute + output.relative * std::fabs(y)) continue;
    if (report.wrong++ == 0) report.first_wrong = i, report.got = x, report.wanted = y;
  }
}

void compare(ElementType type, const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& want,
             const WorkloadOutput& output, OutputReport& report) {
  switch (type) {
    case ElementType::u8:
      return compare_typed<std::uint8_t>(got, want, output, report);
    case ElementType::i8:
      return compare_typed<std::int8_t>(got, want, output, report);
    case ElementType::u16:
      return compare_typed<std::uint16_t>(got, want, output, report);
    case ElementType::i16:
      return compare_typed<std::int16_t>(got, want, output, report);
    case ElementType::u32:
      return compare_typed<std::uint32_t>(got, want, output, report);
    case ElementType::i32:
      return compare_typed<std::int32_t>(got, want, output, report);
    case ElementType::u64:
      return compare_typed<std::uint64_t>(got, want, output, report);
    case ElementType::i64:
      return compare_typed<std::int64_t>(got, want, output, report);
    case ElementType::f32:
      return compare_typed<float>(got, want, output, report);
    case ElementType::f64:
      return compare_typed<double>(got, want, output, report);
  }
}

std::vector<std::uint8_t> contents(const WorkloadOutput& output, std::uint64_t bytes) {
  const auto fail = [&](const std::string& message) {
    throw ConfigError(Faults{{output.where, "outputs: " + message}});
  };
  std::vector<std::uint8_t> all(bytes);
  try {
    const InputFile file(output.file);
    if (file.size() != bytes)
      fail("'" + output.file + "' has " + std::to_string(file.size()) + " B, the buffer " +
           std::to_string(bytes) + " B");
    file.read_at(0, reinterpret_cast<char*>(all.data()), all.size());
  } catch (const InputError& error) {
    fail("cannot read '" + output.file + "': " + error.what());
  }
  return all;
}

}  // namespace

VerifyReport Workload::verify(const GlobalMemory& memory) const {
  HostData data = initial_data();
  if (reference_ != nullptr) reference_->compute(data);
  GlobalMemory like;  // tells the addresses: a name may be that of a variable of the module, too
  const std::vector<Address> addresses = place(like);
  VerifyReport report;
  for (const WorkloadOutput& output : definition_.outputs) {
    const WorkloadBuffer& buffer = definition_.buffers[output.buffer];
    OutputReport one;
    one.buffer = definition_.buffers[output.expected].name;
    one.elements = buffer.count;
    one.allowed = output.outliers;
    std::vector<std::uint8_t> got(buffer.bytes());
    memory.read(addresses[output.buffer], got.data(), got.size());
    if (output.file.empty())
      compare(buffer.type, got, data.bytes(output.expected), output, one);
    else
      compare(buffer.type, got, contents(output, buffer.bytes()), output, one);
    report.outputs.push_back(one);
  }
  return report;
}

bool VerifyReport::good() const {
  for (const OutputReport& output : outputs)
    if (output.wrong > output.allowed) return false;
  return true;
}

std::string VerifyReport::text() const {
  std::ostringstream text;
  text.precision(9);
  for (const OutputReport& output : outputs) {
    text << output.buffer << ": ";
    if (output.wrong <= output.allowed)
      text << output.elements << " elements as the reference; worst error " << output.worst_error << "\n";
    else
      text << output.wrong << " of " << output.elements << " elements differ; the first, ["
           << output.first_wrong << "], is " << output.got << " instead of " << output.wanted << "\n";
  }
  return text.str();
}

}  // namespace strata::traces
