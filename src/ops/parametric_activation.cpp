// Activation functions with number parameters.
#include <cmath>

#include "ops/family.h"
#include "ops/operand.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/term.h"

namespace ingot::ops {
namespace {

struct Row {
  std::string_view schema;
  bool takes_integers;  // computed in their dtype; otherwise floats only
  Term (*formula)(const Term& x, const Node& node);
  double (*reference)(double x, const RefArgs& args);
  std::vector<std::vector<CaseArg>> (*parameters)();  // those of each case; none: the defaults
};

using Parameters = std::vector<std::vector<CaseArg>>;

Term elu_formula(const Term& x, double alpha, double scale, double input_scale) {
  return (x <= 0).select(expm1(x * input_scale) * (alpha * scale), x * scale);
}
double elu_of(double x, double alpha, double scale, double input_scale) {
  return x <= 0 ? std::expm1(x * input_scale) * alpha * scale : x * scale;
}

Term logit_formula(const Term& x, const Node& node) {
  const bool clamps = !ir::is_none(node.arg("eps")) && node.number("eps") >= 0;
  const Term p = clamps ? clamp(x, node.number("eps"), 1 - node.number("eps")) : x;
  return log(p / (1 - p));
}
double logit_of(double x, const RefArgs& args) {
  if (args.has("eps")) x = std::min(std::max(x, args.number("eps")), 1 - args.number("eps"));
  return std::log(x / (1 - x));
}

constexpr Row kRows[] = {
    {"aten::celu(Tensor self, Scalar alpha=1.) -> Tensor", false,
     [](const Term& x, const Node& node) {
       const double alpha = node.number("alpha");
       return elu_formula(x, alpha, 1, 1 / alpha);
     },
     [](double x, const RefArgs& args) {
       const double alpha = args.number("alpha");
       return elu_of(x, alpha, 1, 1 / alpha);
     },
     [] {
       return Parameters{{}, {1.5}};
     }},
    {"aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
     false,
     [](const Term& x, const Node& node) {
       return elu_formula(x, node.number("alpha"), node.number("scale"),
                          node.number("input_scale"));
     },
     [](double x, const RefArgs& args) {
       return elu_of(x, args.number("alpha"), args.number("scale"), args.number("input_scale"));
     },
     [] {
       return Parameters{{}, {0.5, 2.0, 1.5}};
     }},
    {"aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", false,
     [](const Term& x, const Node& node) {
       const double lambda = node.number("lambd");
       return ((x >= -lambda) & (x <= lambda)).select(x.number(0), x);
     },
     [](double x, const RefArgs& args) {
       return x >= -args.number("lambd") && x <= args.number("lambd") ? 0 : x;
     },
     [] {
       return Parameters{{}, {0.25}};
     }},
    {"aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", true,
     [](const Term& x, const Node& node) {
       return clamp(x, node.number("min_val"), node.number("max_val"));
     },
     [](double x, const RefArgs& args) {
       if (std::isnan(x)) return x;
       return std::min(std::max(x, args.number("min_val")), args.number("max_val"));
     },
     [] {
       return Parameters{{}, {int64_t{0}, int64_t{6}}};
     }},
    {"aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", false,
     [](const Term& x, const Node& node) {
       return (x > 0).select(x, x * node.number("negative_slope"));
     },
     [](double x, const RefArgs& args) { return x > 0 ? x : x * args.number("negative_slope"); },
     [] {
       return Parameters{{}, {0.2}};
     }},
    {"aten::logit(Tensor self, float? eps=None) -> Tensor", false, logit_formula, logit_of,
     [] {
       return Parameters{{0.01}, {0.3}};
     }},
    {"aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", false,
     [](const Term& x, const Node& node) {
       const double beta = node.number("beta");
       const Term scaled = x * beta;
       return (scaled > node.number("threshold")).select(x, log1p(exp(scaled)) / beta);
     },
     [](double x, const RefArgs& args) {
       const double scaled = x * args.number("beta");
       return scaled > args.number("threshold")
                  ? x
                  : std::log1p(std::exp(scaled)) / args.number("beta");
     },
     [] {
       return Parameters{{}, {2.0, 1.0}};
     }},
    {"aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", false,
     [](const Term& x, const Node& node) {
       const double lambda = node.number("lambd");
       // NaN times 0 stays NaN.
       return (x > lambda).select(x - lambda, (x < -lambda).select(x + lambda, x * 0));
     },
     [](double x, const RefArgs& args) {
       const double lambda = args.number("lambd");
       return x > lambda ? x - lambda : x < -lambda ? x + lambda : x * 0;
     },
     [] {
       return Parameters{{}, {0.25}};
     }},
    {"aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", true,
     [](const Term& x, const Node& node) {
       return (x <= node.number("threshold")).select(x.number(node.number("value")), x);
     },
     [](double x, const RefArgs& args) {
       return x <= args.number("threshold") ? args.number("value") : x;
     },
     [] {
       return Parameters{{int64_t{0}, int64_t{5}}};
     }},
};

Scalar element(const Row& row, ElementBuilder& e, const Node& node, const Index& index) {
  const DType dtype = node.tensor("self")->type.dtype;
  const DType result = row.takes_integers ? dtype : to_float_type(dtype);
  return e.cast(row.formula(Term(e, wide_operand(e, node, "self", index, result)), node), result);
}

std::vector<RefTensor> reference(const Row& row, const RefArgs& args) {
  RefTensor result = args.tensor("self");
  for (double& x : result.data) x = row.reference(x, args);
  return {std::move(result)};
}

std::vector<Case> cases(const Row& row) {
  std::vector<Case> all;
  for (const std::vector<CaseArg>& parameters : row.parameters()) {
    for (Case& one :
         unary_cases(row.schema, Fill::kNormal,
                     row.takes_integers ? signed_dtypes() : all_float_dtypes(), parameters)) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

struct Maker {
  template <size_t I>
  static constexpr OpDef def() {
    return {
        .name = schema_base(kRows[I].schema),
        .schemas = std::span(&kRows[I].schema, 1),
        .kind = OpKind::kPointwise,
        .infer = kRows[I].takes_integers ? infer_same : infer_float,
        .element = [](ElementBuilder& e, const Node& node, uint32_t,
                      const Index& index) { return element(kRows[I], e, node, index); },
        .reference = [](const RefArgs& args) { return reference(kRows[I], args); },
        .cases = [] { return cases(kRows[I]); },
    };
  }
};
constexpr auto kDefs = make_family<Maker>(std::make_index_sequence<std::size(kRows)>{});

}  // namespace

extern constexpr OpFamily k_parametric_activation{kDefs};

}  // namespace ingot::ops
