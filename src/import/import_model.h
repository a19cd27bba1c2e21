// From an archive to the graph IR.
#pragma once

#include <memory>
#include <string>

#include "import/archive.h"
#include "import/exported_program.h"
#include "ir/model.h"

namespace ingot::pt2 {

struct ImportOptions {
  bool check_weights = true;  // compare the CRCs of the weights that the model uses
  unsigned threads = 0;       // for that; 0: as many as there are processors
};

// The model of a program: calls of operators that ops/ defines, arguments in schema order with
// defaults filled in, types as the export recorded them. The model keeps the archive mapped.
//
// Sizes that the program computes are expressions; regions of no_grad are dissolved; weights that
// nothing uses are left out. The values of Model::symbols follow from the caller's inputs: first
// from sizes that are a symbol alone and from integer arguments, then, until nothing changes, from
// sizes that are linear in one symbol not known yet (sym::split_linear); the importer has checked
// that this finds them all.
//
// Throws CompileError: kUnsupportedOperator or kUnsupportedDtype naming everything unsupported at
// once, kUnsupportedCase, kBadGraph, kArchiveWeight, kArchiveRecord.
std::unique_ptr<ir::Model> import_model(std::shared_ptr<const Archive> archive,
                                        const ExportedProgram& program,
                                        const ImportOptions& options = {});

// Opens an archive and imports its first model. Warnings of all steps are in Model::warnings.
std::unique_ptr<ir::Model> import_file(const std::string& path, const ImportOptions& options = {});

}  // namespace ingot::pt2
