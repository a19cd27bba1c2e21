// Products and sums written as index equations: "bij,bjk->bik".
#include <algorithm>
#include <map>

#include "ops/broadcast.h"
#include "ops/contraction.h"
#include "ops/op_def.h"

namespace ingot::ops {
namespace {

constexpr std::string_view kSchemas[] = {
    "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor"};

using Labels = std::string;  // one letter per dimension

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
};

[[noreturn]] void refuse(const std::string& text, const char* why) {
  throw CompileError(Diag::kUnsupportedCase, "einsum '" + text + "' " + why);
}

// Without "->" the output has the letters that occur once, in alphabetical order.
Equation parse(const std::string& text) {
  Equation equation;
  std::string letters = text;
  letters.erase(std::remove(letters.begin(), letters.end(), ' '), letters.end());
  if (letters.find('.') != std::string::npos) refuse(text, "uses an ellipsis");
  const size_t arrow = letters.find("->");
  const std::string inputs = letters.substr(0, arrow);
  for (size_t begin = 0; begin <= inputs.size();) {
    const size_t end = std::min(inputs.find(',', begin), inputs.size());
    equation.inputs.push_back(inputs.substr(begin, end - begin));
    begin = end + 1;
  }
  for (Labels labels : equation.inputs) {
    std::sort(labels.begin(), labels.end());
    if (std::adjacent_find(labels.begin(), labels.end()) != labels.end()) {
      refuse(text, "repeats a letter within an operand");
    }
  }
  if (arrow != std::string::npos) {
    equation.output = letters.substr(arrow + 2);
    return equation;
  }
  std::map<char, int> counts;
  for (const Labels& labels : equation.inputs) {
    for (const char c : labels) ++counts[c];
  }
  for (const auto& [letter, count] : counts) {
    if (count == 1) equation.output += letter;
  }
  return equation;
}

std::map<char, sym::Expr> sizes_of(const Equation& equation, const std::vector<Value*>& tensors,
                                   const std::string& text) {
  std::map<char, sym::Expr> sizes;
  if (equation.inputs.size() != tensors.size()) refuse(text, "names another number of operands");
  for (size_t t = 0; t < tensors.size(); ++t) {
    const Labels& labels = equation.inputs[t];
    if (labels.size() != tensors[t]->type.sizes.size()) refuse(text, "does not fit an operand");
    for (size_t d = 0; d < labels.size(); ++d) {
      const auto [at, is_new] = sizes.emplace(labels[d], tensors[t]->type.sizes[d]);
      if (!is_new && at->second.is_const(1)) at->second = tensors[t]->type.sizes[d];
    }
  }
  return sizes;
}

bool has(const Labels& labels, char c) { return labels.find(c) != Labels::npos; }

// A tensor whose dimensions are named.
struct Term {
  Value* value;
  Labels labels;
};

// Sums away the dimensions that nobody asks for any more.
Term keep_only(ir::Builder& b, Term term, const Labels& wanted) {
  std::vector<int64_t> dims;
  Labels left;
  for (size_t d = 0; d < term.labels.size(); ++d) {
    if (has(wanted, term.labels[d])) {
      left += term.labels[d];
    } else {
      dims.push_back(static_cast<int64_t>(d));
    }
  }
  if (dims.empty()) return term;
  return {b.sum(term.value, dims, false), left};
}

// The dimensions in the order of `labels`; those the term lacks have size 1.
Value* arranged(ir::Builder& b, const Term& term, const Labels& labels) {
  std::vector<int64_t> order;
  Sizes sizes;
  for (const char c : labels) {
    const size_t at = term.labels.find(c);
    if (at != Labels::npos) order.push_back(static_cast<int64_t>(at));
    sizes.push_back(at == Labels::npos ? sym::Expr(1) : term.value->type.sizes[at]);
  }
  return b.reshape(b.permute(term.value, order), sizes);
}

sym::Expr product_of(const Labels& labels, const std::map<char, sym::Expr>& sizes) {
  sym::Expr product = 1;
  for (const char c : labels) product *= sizes.at(c);
  return product;
}

// Joins two terms: shared letters that are wanted become batch dimensions, shared ones that are not
// are contracted by a matrix product.
Term contract(ir::Builder& b, const Term& x, const Term& y, const Labels& wanted,
              const std::map<char, sym::Expr>& sizes) {
  Labels batch, rows, columns, depth;
  for (const char c : x.labels) {
    if (!has(y.labels, c)) {
      rows += c;
    } else {
      (has(wanted, c) ? batch : depth) += c;
    }
  }
  for (const char c : y.labels) {
    if (!has(x.labels, c)) columns += c;
  }
  const Labels all = batch + rows + columns;
  if (depth.empty()) return {b.mul(arranged(b, x, all), arranged(b, y, all)), all};
  const auto matrix = [&](const Term& term, const Labels& first, const Labels& second) {
    const Labels labels = batch + first + second;
    Sizes full;
    for (const char c : labels) full.push_back(sizes.at(c));
    return b.reshape(
        b.expand(arranged(b, term, labels), full),
        {product_of(batch, sizes), product_of(first, sizes), product_of(second, sizes)});
  };
  Value* product = wide_matmul(b, matrix(x, rows, depth), matrix(y, depth, columns));
  Sizes result;
  for (const char c : all) result.push_back(sizes.at(c));
  return {b.cast(b.reshape(product, result), x.value->dtype()), all};
}

std::vector<TensorType> infer(const Node& node) {
  const std::vector<Value*>& tensors = node.tensors("tensors");
  const Equation equation = parse(node.text("equation"));
  const auto sizes = sizes_of(equation, tensors, node.text("equation"));
  TensorType type{tensors.at(0)->dtype(), {}};
  for (const char c : equation.output) {
    if (!sizes.count(c)) refuse(node.text("equation"), "has an output letter of no operand");
    type.sizes.push_back(sizes.at(c));
  }
  return {type};
}

std::vector<Value*> decompose(ir::Builder& b, const Node& node) {
  const std::vector<Value*>& tensors = node.tensors("tensors");
  const Equation equation = parse(node.text("equation"));
  const auto sizes = sizes_of(equation, tensors, node.text("equation"));
  Term result{tensors.at(0), equation.inputs.at(0)};
  for (size_t t = 0; t < tensors.size(); ++t) {
    Labels later = equation.output;
    for (size_t i = t + 1; i < tensors.size(); ++i) later += equation.inputs[i];
    if (t == 0) {
      result = keep_only(b, result, later);
      continue;
    }
    const Term next = keep_only(b, {tensors[t], equation.inputs[t]}, later + result.labels);
    result = keep_only(b, contract(b, result, next, later, sizes), later);
  }
  return {b.reshape(arranged(b, result, equation.output), infer(node)[0].sizes)};
}

// Sums the product of all operands over every assignment of the letters.
std::vector<RefTensor> reference(const RefArgs& args) {
  const Equation equation = parse(args.text("equation"));
  const std::vector<RefTensor>& tensors = args.tensors("tensors");
  Labels letters = equation.output;
  std::map<char, int64_t> sizes;
  for (size_t t = 0; t < tensors.size(); ++t) {
    for (size_t d = 0; d < equation.inputs[t].size(); ++d) {
      const char c = equation.inputs[t][d];
      if (!has(letters, c)) letters += c;
      sizes[c] = tensors[t].sizes[d];
    }
  }
  std::vector<int64_t> extents;
  for (const char c : letters) extents.push_back(sizes.at(c));
  RefTensor result{args.result_dtype, args.result_sizes[0], {}};
  result.data.assign(static_cast<size_t>(result.elements()), 0);
  for_each_index(extents, [&](const std::vector<int64_t>& index) {
    double product = 1;
    for (size_t t = 0; t < tensors.size(); ++t) {
      std::vector<int64_t> at;
      for (const char c : equation.inputs[t]) at.push_back(index[letters.find(c)]);
      product *= tensors[t].data[static_cast<size_t>(tensors[t].offset(at))];
    }
    const std::vector<int64_t> target(index.begin(),
                                      index.begin() + static_cast<long>(equation.output.size()));
    result.data[static_cast<size_t>(result.offset(target))] += product;
  });
  return {result};
}

std::vector<Case> cases() {
  const auto make = [](std::string equation, std::vector<std::vector<int64_t>> shapes) {
    std::vector<TensorArg> tensors;
    for (std::vector<int64_t>& sizes : shapes) tensors.push_back(TensorArg{sizes, Fill::kUnit});
    Case made{.schema = "aten.einsum.default", .args = {std::move(equation), tensors}};
    made.dtypes = {DType::kF32, DType::kF16};
    made.dynamic = true;
    return made;
  };
  return {make("bij,bjk->bik", {{2, 3, 4}, {2, 4, 5}}),
          make("b g h i d, b g h j d -> b g h i j", {{2, 1, 3, 4, 5}, {2, 1, 3, 6, 5}}),
          make("ij->ji", {{3, 4}}),
          make("ij->", {{3, 4}}),
          make("i,j->ij", {{3}, {4}}),
          make("ij,jk", {{3, 4}, {4, 5}}),
          make("ab,bc,cd->ad", {{2, 3}, {3, 4}, {4, 5}})};
}

}  // namespace

extern constexpr OpDef k_einsum{.name = "einsum",
                                .schemas = kSchemas,
                                .kind = OpKind::kComposite,
                                .infer = infer,
                                .decompose = decompose,
                                .reference = reference,
                                .cases = cases};

}  // namespace ingot::ops
