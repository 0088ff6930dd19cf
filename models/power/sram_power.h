#pragma once

#include "models/power/formula.h"

namespace strata::power {

/// What tags and data do one after the other, or at once.
enum class TagAccess { sequential, parallel, fast };

/// A cache as its user orders it.
struct SramShape {
  double bytes = 65536;
  double ways = 16;
  double line = 128;
  double out_bits = 1024;  ///< read or written at once
  bool read_port = false;  ///< beside the port that reads and writes
  TagAccess tags = TagAccess::sequential;
};

/// How its data are laid out: mats of four subarrays, and a tree of wires to them.
struct SramArray {
  SramShape order;
  double rows = 0, columns = 0;  ///< of a subarray
  double across = 1, down = 1;   ///< mats
  double height_mm = 0, width_mm = 0;
  double columns_to_a_bit = 0;  ///< of the four subarrays of a mat, behind one multiplexer
  double tag_rows = 0, tag_columns = 0, tag_bits = 0;

  double sets() const { return order.bytes / (order.line * order.ways); }
  double mats() const { return across * down; }
  /// Bits that leave the array: all ways of them, where the tags choose last.
  double moved_bits() const { return order.out_bits * (order.tags == TagAccess::fast ? order.ways : 1); }
  double port_bits() const {
    return order.tags == TagAccess::fast ? order.out_bits * (1 + order.ways) / 2 : order.out_bits;
  }
};

/// Energies in nJ for each access, leakage in mW, times in ns, area in mm2.
struct SramPower {
  SramArray array;
  Interval read, write, leakage, access, cycle, area;
  Interval tags;  ///< the part of a read or write that a lookup which misses costs too
  std::vector<OutOfRange> notes;
};

/// `read_port`: of arrays that have one.
const std::vector<Formula<SramArray>>& sram_formulas(bool read_port);

/// An array of the wanted shape with `wordline_parts` x `bitline_parts` subarrays and `rows_in_one` sets to a
/// row, or nothing where no such array can be built.
bool lay_out(const SramShape& order, double wordline_parts, double bitline_parts, double rows_in_one,
             SramArray& array);

class SramModel {
 public:
  explicit SramModel(const Constants& constants);
  /// With the layout of least energy times delay squared.
  SramPower operator()(const SramShape& order) const;
  /// The power of a given layout.
  SramPower of(SramArray array) const;

 private:
  SramPower exact(const SramShape& order) const;
  const std::vector<Fitted<SramArray>>& figures(const SramShape& order) const {
    return figures_[order.read_port ? 1 : 0];
  }
  void size(SramArray& array) const;
  Interval tags_of(const SramArray& array) const;
  std::vector<Fitted<SramArray>> figures_[2];
};

/// Storage beside a cache: queues, predictors, tags beyond those of a plain cache.
struct SmallArray {
  double entries = 0;
  double bits = 0;  ///< of an entry

  double cells() const { return entries * bits; }
  /// As the tool lays tags out: a row an entry, but 16 at least and 96 at most.
  double rows() const;
  double columns() const { return cells() / rows(); }
};

/// mm2, mW, and nJ for each time that a row is read.
struct SmallArrayPower {
  Interval area, leakage, read;
  std::vector<OutOfRange> notes;
};

/// What the tool's arrays of tags are the rows of: cells, and what stands along columns.
const Formula<SmallArray>& small_array_area();

/// A row costs what a row of tags of as many columns does; cells leak as those of data arrays.
SmallArrayPower small_array_power(const SmallArray& array, const Constants& constants);

}  // namespace strata::power
