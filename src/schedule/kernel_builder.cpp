#include "schedule/kernel_builder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "support/diagnostics.h"

namespace ingot::schedule {

using ops::Index;
using ops::Scalar;
using ops::ScalarOp;
using program::Inst;
using program::InstId;
using program::InstKind;
using program::kNoInst;

namespace {

// While building, an indirect index is the symbol t<instruction>; finish() renames it.
constexpr char kIndirectPrefix = 't';

std::string axis_name(size_t axis) { return "a" + std::to_string(axis); }

bool is_axis_name(std::string_view symbol) {
  return symbol.size() > 1 && symbol[0] == 'a' &&
         symbol.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

std::optional<InstId> indirect_inst(std::string_view symbol) {
  if (symbol.size() < 2 || symbol[0] != kIndirectPrefix) return std::nullopt;
  InstId id = 0;
  for (const char c : symbol.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    id = id * 10 + static_cast<InstId>(c - '0');
  }
  return id;
}

std::set<std::string, std::less<>> symbols_of(const sym::Expr& expr) {
  std::set<std::string, std::less<>> names;
  sym::collect_symbols(expr, names);
  return names;
}

Inst make_inst(InstKind kind, DType dtype) {
  Inst inst;
  inst.kind = kind;
  inst.dtype = dtype;
  return inst;
}

size_t mix(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
}

size_t hash_of(const Inst& inst) {
  size_t seed = static_cast<size_t>(inst.kind);
  seed = mix(seed, static_cast<size_t>(inst.dtype));
  seed = mix(seed, static_cast<size_t>(inst.op));
  seed = mix(seed, inst.buffer);
  for (const InstId arg : inst.args) seed = mix(seed, arg);
  seed = mix(seed, inst.predicate);
  seed = mix(seed, std::bit_cast<uint64_t>(inst.constant));
  seed = mix(seed, static_cast<size_t>(inst.int_constant));
  return mix(seed, inst.index.hash());
}

// Bitwise: 0.0 and -0.0 are different constants, and a NaN equals itself.
bool same_inst(const Inst& a, const Inst& b) {
  Inst copy = b;
  copy.constant = a.constant;
  return a == copy && std::bit_cast<uint64_t>(a.constant) == std::bit_cast<uint64_t>(b.constant);
}

bool is_exact_widening(DType from, DType to) {
  if (is_half(from)) return to == DType::kF32 || to == DType::kF64;
  return from == DType::kF32 && to == DType::kF64;
}

double round_to(double value, DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return f16_to_f32(f32_to_f16(static_cast<float>(value)));
    case DType::kBF16:
      return bf16_to_f32(f32_to_bf16(static_cast<float>(value)));
    case DType::kF32:
      return static_cast<float>(value);
    default:
      return value;
  }
}

}  // namespace

bool KernelBuilder::LoadKeyLess::operator()(const LoadKey& a, const LoadKey& b) const {
  if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(a) < std::get<0>(b);
  if (std::get<2>(a) != std::get<2>(b)) return std::get<2>(a) < std::get<2>(b);
  return std::lexicographical_compare(std::get<1>(a).begin(), std::get<1>(a).end(),
                                      std::get<1>(b).begin(), std::get<1>(b).end(),
                                      sym::ExprLess{});
}

KernelBuilder::KernelBuilder(const Placement& placement, const sym::Ranges& ranges)
    : placement_(placement), ranges_(ranges) {}

sym::Expr KernelBuilder::add_axis(const sym::Expr& extent, bool inner) {
  INGOT_CHECK(inner || axes_.empty() || !axes_.back().inner, "a parallel axis after inner ones");
  const std::string name = axis_name(axes_.size());
  axes_.push_back({extent, inner});
  // Nothing is concluded from an empty axis: its indices never happen, so anything could be.
  if (!extent.is_const(0)) extents_[name] = extent;
  return sym::Expr::symbol(name);
}

void KernelBuilder::set_roots(const std::vector<const ir::Value*>& roots) {
  for (const ir::Value* root : roots) roots_.insert(root->id);
}

void KernelBuilder::set_accumulator(const ir::Value* value, Index index, DType accumulator) {
  accumulator_value_ = value;
  for (sym::Expr& position : index) position = simplify(position);
  accumulator_index_ = std::move(index);
  accumulator_dtype_ = accumulator;
}

uint32_t KernelBuilder::buffer_param(const ir::Value* value, program::Access access) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    auto& [existing, param] = buffers_[i];
    if (existing != value) continue;
    if (param.access != access) param.access = program::Access::kReadWrite;
    return static_cast<uint32_t>(i);
  }
  buffers_.emplace_back(value, program::BufferParam{value->dtype(), access});
  return static_cast<uint32_t>(buffers_.size() - 1);
}

sym::Expr KernelBuilder::simplify(const sym::Expr& expr) const {
  return sym::simplify(expr, ranges_, extents_);
}

bool KernelBuilder::uses_inner_axis(const sym::Expr& expr) const {
  if (expr.is_const()) return false;
  for (const std::string& name : symbols_of(expr)) {
    if (const auto id = indirect_inst(name)) {
      if (insts_[*id].inner) return true;
    } else if (is_axis_name(name)) {
      if (axes_[std::stoul(name.substr(1))].inner) return true;
    }
  }
  return false;
}

Scalar KernelBuilder::emit(Inst inst) {
  Entry entry;
  const auto depend_on = [&](InstId id) {
    if (id == kNoInst) return;
    entry.inner |= insts_[id].inner;
    entry.level = std::max(entry.level, insts_[id].level);
  };
  for (const InstId arg : inst.args) depend_on(arg);
  depend_on(inst.predicate);
  if (!inst.index.is_const()) {
    for (const std::string& name : symbols_of(inst.index)) {
      if (const auto id = indirect_inst(name)) depend_on(*id);
    }
    entry.inner |= uses_inner_axis(inst.index);
  }
  if (inst.kind == InstKind::kReduce) {
    entry.inner = false;
    ++entry.level;
  }
  const DType result = inst.dtype;
  const size_t hash = hash_of(inst);
  if (inst.kind != InstKind::kStore) {
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (same_inst(insts_[it->second].inst, inst)) return {it->second, result};
    }
  }
  const auto id = static_cast<InstId>(insts_.size());
  entry.inst = std::move(inst);
  insts_.push_back(std::move(entry));
  by_hash_.emplace(hash, id);
  return {id, result};
}

Scalar KernelBuilder::constant(DType dtype, double value) {
  Inst inst = make_inst(InstKind::kConst, dtype);
  inst.constant = round_to(value, dtype);
  return emit(std::move(inst));
}

Scalar KernelBuilder::integer(DType dtype, int64_t value) {
  Inst inst = make_inst(InstKind::kConst, dtype);
  inst.int_constant = value;
  return emit(std::move(inst));
}

Scalar KernelBuilder::index_value(const sym::Expr& index) {
  const sym::Expr simple = simplify(index);
  if (const auto value = simple.as_const()) return integer(DType::kI64, *value);
  if (simple.is_symbol()) {
    if (const auto id = indirect_inst(simple.symbol_name())) return {*id, DType::kI64};
  }
  Inst inst = make_inst(InstKind::kIndex, DType::kI64);
  inst.index = simple;
  return emit(std::move(inst));
}

Scalar KernelBuilder::cast(Scalar value, DType dtype) {
  if (value.dtype == dtype) return value;
  const Inst& source = insts_[value.id].inst;
  if (source.kind == InstKind::kCast) {
    const Inst& original = insts_[source.args[0]].inst;
    if (original.dtype == dtype && is_exact_widening(dtype, value.dtype)) {
      return {source.args[0], dtype};
    }
  }
  if (source.kind == InstKind::kConst && is_float(dtype) && value.dtype != DType::kBool) {
    return constant(
        dtype, is_float(value.dtype) ? source.constant : static_cast<double>(source.int_constant));
  }
  Inst inst = make_inst(InstKind::kCast, dtype);
  inst.args[0] = value.id;
  return emit(std::move(inst));
}

Scalar KernelBuilder::bitcast(Scalar value, DType dtype) {
  if (value.dtype == dtype) return value;
  Inst inst = make_inst(InstKind::kBitcast, dtype);
  inst.args[0] = value.id;
  return emit(std::move(inst));
}

Scalar KernelBuilder::apply(ScalarOp op, std::span<const Scalar> args) {
  INGOT_CHECK(static_cast<int>(args.size()) == program::operand_count(op),
              "operand count of a scalar operation");
  const bool is_select = op == ScalarOp::kSelect;
  const DType operand = args[is_select ? 1 : 0].dtype;
  for (size_t i = is_select ? 1 : 0; i < args.size(); ++i) {
    INGOT_CHECK(args[i].dtype == operand, "operands of a scalar operation differ in dtype");
  }
  if (is_half(operand)) {
    std::vector<Scalar> wide(args.begin(), args.end());
    for (Scalar& arg : wide) {
      if (is_half(arg.dtype)) arg = cast(arg, DType::kF32);
    }
    const Scalar result = apply(op, wide);
    return program::is_predicate(op) ? result : cast(result, operand);
  }
  if (is_select) {
    INGOT_CHECK(args[0].dtype == DType::kBool, "the condition of a select is not a bool");
    const Inst& condition = insts_[args[0].id].inst;
    if (condition.kind == InstKind::kConst) return condition.constant != 0 ? args[1] : args[2];
    if (args[1].id == args[2].id) return args[1];
  }
  if (op == ScalarOp::kNe && operand == DType::kI64) {
    const Inst& a = insts_[args[0].id].inst;
    const Inst& b = insts_[args[1].id].inst;
    if (a.kind == InstKind::kConst && b.kind == InstKind::kConst) {
      return constant(DType::kBool, a.int_constant != b.int_constant ? 1 : 0);
    }
  }
  Inst inst = make_inst(InstKind::kCompute, program::is_predicate(op) ? DType::kBool : operand);
  inst.op = op;
  for (size_t i = 0; i < args.size(); ++i) inst.args[i] = args[i].id;
  return emit(std::move(inst));
}

Scalar KernelBuilder::reduce(ops::ReduceOp op, std::span<const sym::Expr> extents,
                             const std::function<Scalar(const Index&)>& body) {
  Index inner;
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].inner) inner.push_back(sym::Expr::symbol(axis_name(i)));
  }
  if (inner.empty()) {
    for (const sym::Expr& extent : extents) inner.push_back(add_axis(extent, /*inner=*/true));
  } else {
    if (inner.size() != extents.size()) throw Unfusable{"another number of reduced dimensions"};
    for (size_t i = 0; i < inner.size(); ++i) {
      const size_t axis = std::stoul(inner[i].symbol_name().substr(1));
      if (!(axes_[axis].extent == extents[i])) {
        throw Unfusable{"a reduction over other extents"};
      }
    }
  }
  const Scalar value = body(inner);
  if (is_half(value.dtype)) throw InternalError("a reduction in a 16-bit type");
  const bool is_position = op == ops::ReduceOp::kArgMin || op == ops::ReduceOp::kArgMax;
  Inst inst = make_inst(InstKind::kReduce, is_position ? DType::kI64 : value.dtype);
  inst.reduce = op;
  inst.args[0] = value.id;
  return emit(std::move(inst));
}

sym::Expr KernelBuilder::checked_index(Scalar index, const sym::Expr& extent) {
  Inst inst = make_inst(InstKind::kCheckIndex, DType::kI64);
  inst.args[0] = cast(index, DType::kI64).id;
  inst.predicate = predicate_;
  inst.index = simplify(extent);
  const Scalar checked = emit(std::move(inst));
  const std::string name = kIndirectPrefix + std::to_string(checked.id);
  extents_[name] = simplify(extent);
  return sym::Expr::symbol(name);
}

sym::Expr KernelBuilder::trusted_index(Scalar index) {
  const Scalar wide = cast(index, DType::kI64);
  const Inst& inst = insts_[wide.id].inst;
  if (inst.kind == InstKind::kConst) return inst.int_constant;
  if (inst.kind == InstKind::kIndex) return inst.index;
  return sym::Expr::symbol(kIndirectPrefix + std::to_string(wide.id));
}

Scalar KernelBuilder::guarded(Scalar condition, const std::function<Scalar()>& if_true,
                              Scalar otherwise) {
  const Inst& inst = insts_[condition.id].inst;
  if (inst.kind == InstKind::kConst) return inst.constant != 0 ? if_true() : otherwise;
  const InstId outer = predicate_;
  predicate_ = outer == kNoInst ? condition.id
                                : apply(ScalarOp::kAnd, Scalar{outer, DType::kBool}, condition).id;
  const Scalar value = if_true();
  predicate_ = outer;
  return select(condition, value, otherwise);
}

Scalar KernelBuilder::accumulator(DType dtype) {
  return emit(make_inst(InstKind::kAccumulator, dtype));
}

Scalar KernelBuilder::load(const ir::Value* value, const Index& index) {
  INGOT_CHECK(static_cast<int64_t>(index.size()) == value->rank(),
              "index of another rank than %" + value->name);
  Index simple(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    // A dimension of size 1 has one index, whatever expression it came from.
    simple[i] = value->type.sizes[i].is_const(1) ? sym::Expr(0) : simplify(index[i]);
  }
  if (value == accumulator_value_) {
    for (size_t i = 0; i < simple.size(); ++i) {
      const bool is_one = value->type.sizes[i].is_const(1);
      if (!is_one && !(simple[i] == accumulator_index_[i])) {
        throw Unfusable{"the template's result is needed at another index"};
      }
    }
    return cast(accumulator(accumulator_dtype_), value->dtype());
  }
  const LoadKey key{value->id, simple, predicate_};
  if (const auto found = computed_.find(key); found != computed_.end()) return found->second;
  const bool from_buffer = placement_.is_placed(value) && !roots_.count(value->id);
  const Scalar result = from_buffer ? load_buffer(value, simple) : compute_in_place(value, simple);
  INGOT_CHECK(result.dtype == value->dtype(),
              "element of %" + value->name + " has another dtype than its value");
  computed_.emplace(key, result);
  return result;
}

Scalar KernelBuilder::load_buffer(const ir::Value* value, const Index& index) {
  Inst inst = make_inst(InstKind::kLoad, value->dtype());
  inst.buffer = buffer_param(value, program::Access::kRead);
  inst.index = simplify(linear_offset(index, placement_.strides(value)));
  inst.predicate = predicate_;
  return emit(std::move(inst));
}

Scalar KernelBuilder::compute_in_place(const ir::Value* value, const Index& index) {
  const ir::Node* node = value->producer;
  INGOT_CHECK(node && node->op->def, "%" + value->name + " has neither a buffer nor an operator");
  const ops::OpDef& def = *node->op->def;
  if (!def.element) throw Unfusable{"the operands of " + node->target() + " need their own kernel"};
  if (def.kind == ops::OpKind::kReduction) {
    for (const sym::Expr& expr : index) {
      if (uses_inner_axis(expr)) throw Unfusable{"a reduction inside a reduction"};
    }
  }
  return def.element(*this, *node, value->result, index);
}

void KernelBuilder::store(const ir::Value* root, const Index& index, Scalar value,
                          program::StoreMode mode, Scalar predicate) {
  Inst inst = make_inst(InstKind::kStore, root->dtype());
  inst.buffer = buffer_param(root, mode == program::StoreMode::kSet ? program::Access::kWrite
                                                                    : program::Access::kReadWrite);
  inst.index = simplify(linear_offset(index, placement_.strides(root)));
  inst.args[0] = cast(value, root->dtype()).id;
  inst.store_mode = mode;
  inst.predicate = predicate.id;
  emit(std::move(inst));
}

program::Body KernelBuilder::finish(Scalar result) {
  std::vector<bool> live(insts_.size(), false);
  std::vector<InstId> pending;
  const auto need = [&](InstId id) {
    if (id == kNoInst || live[id]) return;
    live[id] = true;
    pending.push_back(id);
  };
  for (InstId id = 0; id < insts_.size(); ++id) {
    if (insts_[id].inst.kind == InstKind::kStore) need(id);
  }
  need(result.id);
  while (!pending.empty()) {
    const Inst& inst = insts_[pending.back()].inst;
    pending.pop_back();
    for (const InstId arg : inst.args) need(arg);
    need(inst.predicate);
    for (const std::string& name : symbols_of(inst.index)) {
      if (const auto id = indirect_inst(name)) need(*id);
    }
  }

  // Stage 2k is the row stage of level k, 2k + 1 the inner stage; a reduction runs in the inner
  // stage before the level of its result.
  const auto stage_of = [&](InstId id) {
    const Entry& entry = insts_[id];
    if (entry.inst.kind == InstKind::kReduce) return 2 * (entry.level - 1) + 1;
    return 2 * entry.level + (entry.inner ? 1 : 0);
  };
  std::map<uint32_t, std::vector<InstId>> stages;
  for (InstId id = 0; id < insts_.size(); ++id) {
    if (live[id]) stages[stage_of(id)].push_back(id);
  }
  std::vector<InstId> renamed(insts_.size(), kNoInst);
  InstId next = 0;
  for (const auto& [stage, ids] : stages) {
    for (const InstId id : ids) renamed[id] = next++;
  }
  sym::Bindings indirect;
  for (InstId id = 0; id < insts_.size(); ++id) {
    if (live[id] && insts_[id].inst.dtype == DType::kI64) {
      indirect.emplace(kIndirectPrefix + std::to_string(id),
                       sym::Expr::symbol("v" + std::to_string(renamed[id])));
    }
  }

  program::Body body;
  body.axes = axes_;
  for (const auto& [stage, ids] : stages) {
    const auto first = static_cast<uint32_t>(body.insts.size());
    for (const InstId id : ids) {
      Inst inst = insts_[id].inst;
      for (InstId& arg : inst.args) {
        if (arg != kNoInst) arg = renamed[arg];
      }
      if (inst.predicate != kNoInst) inst.predicate = renamed[inst.predicate];
      if (!inst.index.is_const()) inst.index = sym::substitute(inst.index, indirect);
      body.insts.push_back(std::move(inst));
    }
    body.stages.push_back({first, static_cast<uint32_t>(body.insts.size()), stage % 2 == 1});
  }
  INGOT_CHECK(result.id == kNoInst || renamed[result.id] + 1 == body.insts.size(),
              "the result of a score body is not its last instruction");
  return body;
}

}  // namespace ingot::schedule
