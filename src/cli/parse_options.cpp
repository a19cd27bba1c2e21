#include <CLI/CLI.hpp>

#include "cli/options.h"
#include "support/diagnostics.h"

namespace ingot::cli {
namespace {

constexpr const char* kArguments =
    "[NAME=]2x3xf32=1.0, [NAME=]@x.npy, @all.npz (in0, in1, … or names), or a Python scalar";
constexpr const char* kDevice = "cpu, cuda or cuda:N (default: the first usable GPU, else the CPU)";

// A finite number, 0 or more; or more than 0.
CLI::Validator number_from_0(bool above = false) {
  const std::string range = above ? "above 0" : "of at least 0";
  return CLI::Validator(
      [above, range](const std::string& text) -> std::string {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value);
        if (is_number && (above ? value > 0 : value >= 0) && value < 1e300) return "";
        return "'" + text + "' is no number " + range;
      },
      "NUMBER");
}

// The sub-commands and where their options go.
class Parser {
 public:
  Parser() : app_("Ingot: exported PyTorch models as one file that runs anywhere", "ingot") {
    app_.set_version_flag("--version", "ingot " INGOT_VERSION);
    app_.require_subcommand(1);
    app_.fallthrough(false);
    add_compile();
    add_run();
    add_verify();
    add_bench();
    add_inspect();
    add_tune();
    add_doctor();
    add_opt();
  }

  Options parse(int argc, const char* const* argv) {
    check_command(argc, argv);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return PrintText{help()};
    } catch (const CLI::CallForAllHelp&) {
      return PrintText{help()};
    } catch (const CLI::CallForVersion&) {
      return PrintText{"ingot " INGOT_VERSION "\n"};
    } catch (const CLI::ParseError& error) {
      throw CompileError(Diag::kBadOption, message(error), {"see: " + command_line() + " --help"});
    }
    if (app_.got_subcommand("compile")) return compile_;
    if (app_.got_subcommand("run")) return run_;
    if (app_.got_subcommand("verify")) return verify_;
    if (app_.got_subcommand("bench")) return bench_;
    if (app_.got_subcommand("inspect")) {
      inspect_.plan = app_.get_subcommand("inspect")->count("--plan") > 0;
      return inspect_;
    }
    if (app_.got_subcommand("tune")) return tune_;
    if (app_.got_subcommand("doctor")) return doctor_;
    return opt_;
  }

 private:
  const CLI::App* chosen() const {
    const std::vector<CLI::App*> chosen = app_.get_subcommands();
    return chosen.empty() ? nullptr : chosen.front();
  }
  std::string command_line() const {
    return chosen() == nullptr ? "ingot" : "ingot " + chosen()->get_name();
  }
  std::string help() const { return app_.help("", CLI::AppFormatMode::Normal); }

  // Names the commands, which CLI11 does not.
  void check_command(int argc, const char* const* argv) const {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first.starts_with('-')) return;
    std::string names;
    for (const CLI::App* command : app_.get_subcommands(nullptr)) {
      if (command->get_name() == first) return;
      names += (names.empty() ? "" : ", ") + command->get_name();
    }
    throw CompileError(Diag::kBadOption,
                       (first.empty() ? "a command is needed: "
                                      : "there is no command '" + std::string(first) + "'; use ") +
                           names,
                       {"see: ingot --help"});
  }

  // CLI11's own text in this project's style.
  static std::string message(const CLI::ParseError& error) {
    std::string text = error.what();
    while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
    const bool is_word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0;
    if (is_word) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
  }

  void add_compile() {
    CLI::App* app = app_.add_subcommand("compile", "Compile an exported program into a package");
    CompileOptions& o = compile_;
    app->add_option("MODEL", o.model, "the .pt2 archive")->required();
    app->add_option("-o,--output", o.output, "the package to write")->required();
    app->add_option("--arch", o.arch, "all, native, or a list such as sm_80,sm_90a or t4,h100");
    app->add_flag("--no-ptx", o.no_ptx, "no portable code for GPUs not named");
    app->add_option("--target", o.targets, "cuda, cpu or both")
        ->delimiter(',')
        ->check(CLI::IsMember({"cuda", "cpu"}));
    app->add_option("--emit", o.emit, "the output's format")
        ->check(CLI::IsMember({"ingot", "aoti", "executorch", "cmake"}));
    app->add_option("--fused-attention", o.fused_attention, "one kernel for attention")
        ->check(CLI::IsMember({"auto", "on", "off"}));
    app->add_option("--precision", o.precision, "how 16-bit chains and matmuls round")
        ->check(CLI::IsMember({"eager", "fast", "tf32"}));
    app->add_option("--weights", o.weights, "where the weights go")
        ->check(CLI::IsMember({"inside", "beside", "none"}));
    app->add_flag("--freeze", o.freeze, "fold and pack the weights now rather than at load");
    app->add_option("--tuning", o.tuning, "tuning files of `ingot tune`");
    app->add_option("--toolkit", o.toolkit, "the CUDA toolkit to use");
    app->add_option("--cuda-version", o.cuda_version, "the CUDA version to use, X.Y");
    app->add_option("--platform", o.platform, "the platform of the drop-in formats")
        ->check(CLI::IsMember({"linux", "windows"}));
    app->add_option("--shim-library-path", o.shim_library_path, "for --platform=windows");
    app->add_option("--spec", o.specs, "a compile spec of the drop-in formats, KEY=VALUE");
    app->add_option("--print-after", o.print_after, "print the graph after a pass, or after all");
    app->add_option("--emit-dir", o.emit_dir, "keep the generated sources in this folder");
    app->add_option("--report", o.report, "write what was built to this JSON file");
    app->add_flag("--no-cache", o.no_cache, "compile every kernel anew");
    app->add_option("-j,--jobs", o.jobs, "threads (default: all cores)")->check(number_from_0());
  }

  void add_run() {
    CLI::App* app = app_.add_subcommand("run", "Run a model once");
    app->add_option("MODEL", run_.model, "a package or a .pt2 archive")->required();
    app->add_option("--input", run_.inputs, kArguments)->take_all();
    app->add_option("--output", run_.output, "@y.npy or @all.npz instead of printing");
    app->add_option("--device", run_.device, kDevice);
  }

  void add_verify() {
    CLI::App* app = app_.add_subcommand("verify", "Compare a model's results with expected ones");
    app->add_option("MODEL", verify_.model, "a package or a .pt2 archive")->required();
    app->add_option("--expected", verify_.expected, "in0, …, out0, … and perhaps ref0, … (.npz)")
        ->required();
    app->add_option("--device", verify_.device, kDevice);
    app->add_option("--rtol", verify_.rtol, "relative tolerance (default: by element type)")
        ->check(number_from_0());
    app->add_option("--atol", verify_.atol, "absolute tolerance (default: by element type)")
        ->check(number_from_0());
  }

  void add_bench() {
    CLI::App* app = app_.add_subcommand("bench", "Measure how long a run takes");
    app->add_option("MODEL", bench_.model, "a package or a .pt2 archive")->required();
    app->add_option("--input", bench_.inputs, kArguments)->take_all();
    app->add_option("--device", bench_.device, kDevice);
    app->add_option("--warmup-ms", bench_.warmup_ms, "run this long before measuring")
        ->check(number_from_0());
    app->add_option("--duration-s", bench_.duration_s, "measure this long")
        ->check(number_from_0(true));
    app->add_flag("--no-cuda-graph", bench_.no_cuda_graph, "launch kernels one by one");
    app->add_option("--json", bench_.json, "write the measurements to this file");
    app->add_option("--html", bench_.html, "write a page with the measurements to this file");
  }

  void add_inspect() {
    CLI::App* app = app_.add_subcommand("inspect", "Show what a model or package holds");
    InspectOptions& o = inspect_;
    app->add_option("FILE", o.file, "a package, a .pt2 archive or an AOTInductor package")
        ->required();
    app->add_flag("--json", o.json, "as JSON");
    app->add_flag("--kernels", o.kernels, "the kernels' instructions");
    app->add_option("--plan", o.plan_target, "the steps, of all targets or of one")
        ->expected(0, 1)
        ->default_str("");
    app->add_flag("--graph", o.graph, "the graph after import");
    app->add_flag("--coverage", o.coverage, "which kernels are there for which target");
    app->add_flag("--memory", o.memory, "buffers and peak memory");
    app->add_flag("--ops", o.ops, "the operators and whether they are supported");
    app->add_option("--for", o.for_devices, "exit 1 if it cannot run on one of these GPUs")
        ->delimiter(',');
  }

  void add_tune() {
    CLI::App* app = app_.add_subcommand("tune", "Measure which kernel configurations are fastest");
    app->add_option("MODEL", tune_.model, "the .pt2 archive")->required();
    app->add_option("-o,--output", tune_.output, "the tuning file to write")->required();
    app->add_option("--device", tune_.device, kDevice);
  }

  void add_doctor() {
    CLI::App* app = app_.add_subcommand("doctor", "Show what works on this machine, and why not");
    app->add_flag("--json", doctor_.json, "as JSON");
  }

  void add_opt() {
    CLI::App* app = app_.add_subcommand("opt", "Run one pass over a graph in text form");
    app->add_option("--pass", opt_.pass, "the pass")->required();
    app->add_option("FILE", opt_.file, "the .ir file")->required();
  }

  CLI::App app_;
  CompileOptions compile_;
  RunOptions run_;
  VerifyOptions verify_;
  BenchOptions bench_;
  InspectOptions inspect_;
  TuneOptions tune_;
  DoctorOptions doctor_;
  OptOptions opt_;
};

}  // namespace

Options parse_options(int argc, const char* const* argv) { return Parser().parse(argc, argv); }

}  // namespace ingot::cli
