#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "models/power/constants.h"

namespace strata::power {

/// Sizes in which inverters of the standard cell library come; areas and leakages of the reference rows step
/// so.
inline constexpr std::array<double, 9> cell_sizes{1, 2, 3, 4, 6, 8, 10, 12, 16};

/// One summand of a formula: a coefficient times what the shape of a block makes of it.
template <class Shape>
struct Term {
  std::string name;  ///< of the coefficient, behind the name of the formula
  std::function<double(const Shape&)> factor;
};

/// A figure of a block as a sum of terms, linear in the coefficients. The names of the coefficients are rows
/// of the table of constants: `router.e_xbar.bit`.
template <class Shape>
struct Formula {
  std::string name;  ///< "router.e_xbar"
  std::string unit;
  std::string sentence;
  std::vector<Term<Shape>> terms;

  std::vector<double> factors(const Shape& shape) const {
    std::vector<double> values;
    for (const Term<Shape>& term : terms) values.push_back(term.factor(shape));
    return values;
  }
};

/// A formula with its coefficients.
template <class Shape>
class Fitted {
 public:
  Fitted(const Formula<Shape>& formula, const Constants& constants) : formula_(&formula) {
    for (const Term<Shape>& term : formula.terms)
      coefficients_.push_back(constants.value(formula.name + "." + term.name));
  }

  Interval operator()(const Shape& shape) const {
    Interval sum;
    for (std::size_t i = 0; i < coefficients_.size(); ++i)
      sum += coefficients_[i] * formula_->terms[i].factor(shape);
    return sum;
  }
  double nominal(const Shape& shape) const {
    double sum = 0;
    for (std::size_t i = 0; i < coefficients_.size(); ++i)
      sum += coefficients_[i].nominal * formula_->terms[i].factor(shape);
    return sum;
  }

 private:
  const Formula<Shape>* formula_;
  std::vector<Interval> coefficients_;
};

/// Outside of what the formulas were fitted to: which figure, and the nearest value inside.
struct OutOfRange {
  std::string what;  ///< "inputs"
  double value = 0;
  double nearest = 0;
};

inline void check_range(std::vector<OutOfRange>& notes, const char* what, double value, double least,
                        double most) {
  if (value < least) notes.push_back({what, value, least});
  if (value > most) notes.push_back({what, value, most});
}

}  // namespace strata::power
