#include "symbolic/expr.h"
