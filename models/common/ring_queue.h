#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace strata {

/// FIFO in a ring that doubles when it is full: after the first cycles nothing allocates any more.
template <class T>
class RingQueue {
 public:
  explicit RingQueue(std::size_t capacity = 16) {
    std::uint32_t size = 1;
    while (size < capacity) size *= 2;
    resize(size);
  }
  bool empty() const { return head_ == tail_; }
  std::uint32_t size() const { return tail_ - head_; }
  T& front() { return ring_[head_ & mask_]; }
  const T& front() const { return ring_[head_ & mask_]; }
  const T& back() const { return ring_[(tail_ - 1) & mask_]; }
  /// The i-th from the front.
  T& at(std::size_t i) { return ring_[(head_ + static_cast<std::uint32_t>(i)) & mask_]; }
  const T& at(std::size_t i) const { return ring_[(head_ + static_cast<std::uint32_t>(i)) & mask_]; }
  void pop() { ++head_; }
  void push(const T& value) {
    if (size() > mask_) grow();
    ring_[tail_++ & mask_] = value;
  }

 private:
  void resize(std::uint32_t size) {
    ring_ = std::make_unique<T[]>(size);
    mask_ = size - 1;
  }
  [[gnu::noinline]] void grow() {
    const std::unique_ptr<T[]> before = std::move(ring_);
    const std::uint32_t old_mask = mask_, count = size();
    resize(2 * count);
    for (std::uint32_t i = 0; i < count; ++i) ring_[i] = before[(head_ + i) & old_mask];
    head_ = 0;
    tail_ = count;
  }

  std::unique_ptr<T[]> ring_;
  std::uint32_t mask_ = 0;
  std::uint32_t head_ = 0;  // these wrap around
  std::uint32_t tail_ = 0;
};

}  // namespace strata
