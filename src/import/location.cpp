#include "import/location.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace ingot::pt2 {
namespace {

constexpr size_t kMaxCodeBytes = 100;

struct Frame {
  std::string_view file;
  uint32_t line = 0;
  std::string_view function;
  std::string_view code;
};

std::string_view strip(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

// Parses `File "models.py", line 25, in forward`.
bool parse_frame(std::string_view line, Frame& frame) {
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  constexpr std::string_view kFunction = ", in ";
  line = strip(line);
  if (!line.starts_with(kFile)) return false;
  line.remove_prefix(kFile.size());
  const size_t quote = line.find(kLine);
  if (quote == line.npos) return false;
  frame.file = line.substr(0, quote);
  line.remove_prefix(quote + kLine.size());
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), frame.line);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  frame.function = line.starts_with(kFunction) ? line.substr(kFunction.size()) : "";
  return true;
}

// A Python traceback, outermost frame first.
std::vector<Frame> parse_stack(std::string_view trace) {
  std::vector<Frame> frames;
  while (!trace.empty()) {
    const std::string_view line = take_line(trace);
    Frame frame;
    if (parse_frame(line, frame)) {
      frames.push_back(frame);
    } else if (!frames.empty() && frames.back().code.empty()) {
      frames.back().code = strip(line);
    }
  }
  return frames;
}

bool is_torch_frame(const Frame& frame) {
  return frame.file.starts_with("torch/") ||
         frame.file.find("-packages/torch/") != frame.file.npos || frame.file.starts_with('<');
}

// The path below the folder of installed packages, which differs between machines.
std::string_view shorten_path(std::string_view file) {
  constexpr std::string_view kPackages = "-packages/";
  const size_t at = file.rfind(kPackages);
  return at == file.npos ? file : file.substr(at + kPackages.size());
}

// "net.0 (Linear)" of the innermost `key,net.0,torch.nn.modules.linear.Linear` entry; the model
// itself is "Mlp". Names may contain commas: the key is before the first, the type after the last.
std::string module_path(std::string_view stack) {
  const std::string_view entry = stack.substr(stack.rfind(';') + 1);  // npos + 1 is 0
  const size_t first = entry.find(',');
  const size_t last = entry.rfind(',');
  if (first == entry.npos || entry.starts_with("_empty_nn_module_stack")) return {};
  std::string_view path = first == last ? "" : entry.substr(first + 1, last - first - 1);
  constexpr std::string_view kSelf = "L['self']";
  if (path.starts_with(kSelf)) path.remove_prefix(kSelf.size());
  if (path.starts_with('.')) path.remove_prefix(1);
  std::string_view type = entry.substr(last + 1);
  type = type.substr(type.rfind('.') + 1);
  if (path.empty()) return std::string(type);
  return type.empty() ? std::string(path) : fmt::format("{} ({})", path, type);
}

}  // namespace

program::Location locate(const Node& node) {
  program::Location location;
  const std::vector<Frame> frames = parse_stack(node.stack_trace);
  auto frame = std::find_if_not(frames.rbegin(), frames.rend(), is_torch_frame);
  if (frame == frames.rend()) frame = frames.rbegin();
  if (frame != frames.rend()) {
    location.file = shorten_path(frame->file);
    location.line = frame->line;
    location.function = frame->function;
    location.code = frame->code.substr(0, kMaxCodeBytes);
  }
  location.module_path = module_path(node.nn_module_stack);
  location.node = node.name;
  if (location.node.empty() && !node.outputs.empty()) {
    if (const auto* tensor = node.outputs.front().get<TensorArg>()) location.node = tensor->name;
  }
  if (location.node.empty()) location.node = node.target;
  return location;
}

ir::LocId LocationTable::add(program::Location location) {
  Key key = {location.file, std::to_string(location.line), location.function,
             location.code, location.module_path,          location.node};
  const auto [it, is_new] =
      ids_.try_emplace(std::move(key), static_cast<ir::LocId>(locations_.size()));
  if (is_new) locations_.push_back(std::move(location));
  return it->second;
}

}  // namespace ingot::pt2
