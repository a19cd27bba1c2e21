#include "ops/op_def.h"
