#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Where in a text file something stands; line and column count from 1, 0 = unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One thing that is wrong with what a user gave us.
struct Fault {
  SourcePosition where;
  std::string
      message;  ///< names the key or end, the value found, what is allowed and the nearest legal choice
};

using Faults = std::vector<Fault>;

/// `file:line:column: message`, without the parts that are unknown, and printable(): it may quote anything.
std::string to_text(const Fault& fault);

/// Thrown once with every fault of a configuration (exit code 1).
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(Faults faults);
  explicit ConfigError(std::string message);
  const Faults& faults() const { return faults_; }

 private:
  Faults faults_;
};

/// The first fault of a trace, with its file and line or frame (exit code 2).
class TraceError : public std::runtime_error {
 public:
  explicit TraceError(Fault fault);
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

/// Memory ran out, with what was being read: no fault of the file (exit code 4).
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(const std::string& while_) : text_("out of memory: " + while_) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// The candidate with the smallest edit distance to `word`, or empty when none is near enough to be meant.
/// Words of more than 100 letters are near to nothing.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// ` (did you mean 'x'?)` or an empty string: to be appended to a message.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace strata
