#include "support/dtype.h"
