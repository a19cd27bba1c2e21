#include "ops/element.h"
