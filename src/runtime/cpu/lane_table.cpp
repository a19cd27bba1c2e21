#include "runtime/cpu/lane_table.h"

#include <cstdlib>

#include "runtime/cpu/lanes/table.h"

namespace ingot::runtime::cpu {
namespace {

LaneTable make_table(Isa isa) {
  LaneTable table;
  lanes_baseline::fill_rare(table);
  lanes_baseline::fill(table);
#ifdef INGOT_X86_LANES
  if (isa >= Isa::kAvx2) lanes_avx2::fill(table);
  if (isa >= Isa::kAvx512) lanes_avx512::fill(table);
#else
  (void)isa;
#endif
  return table;
}

Isa best_isa() {
  if (is_supported(Isa::kAvx512)) return Isa::kAvx512;
  return is_supported(Isa::kAvx2) ? Isa::kAvx2 : Isa::kBaseline;
}

}  // namespace

std::string_view to_string(Isa isa) {
  constexpr std::string_view kNames[] = {"baseline", "avx2", "avx512"};
  return kNames[static_cast<int>(isa)];
}

bool is_supported(Isa isa) {
#ifdef INGOT_X86_LANES
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::kAvx2) return avx2;
  if (isa == Isa::kAvx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return isa == Isa::kBaseline;
}

Isa default_isa() {
  const char* wanted = std::getenv("INGOT_CPU_ISA");
  if (wanted == nullptr) return best_isa();
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (to_string(isa) == wanted && is_supported(isa)) return isa;
  }
  return best_isa();
}

const LaneTable& lane_table(Isa isa) {
  static const LaneTable baseline = make_table(Isa::kBaseline);
  if (isa == Isa::kBaseline) return baseline;
  static const LaneTable avx2 = make_table(Isa::kAvx2);
  if (isa == Isa::kAvx2) return avx2;
  static const LaneTable avx512 = make_table(Isa::kAvx512);
  return avx512;
}

}  // namespace ingot::runtime::cpu
