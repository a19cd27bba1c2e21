#include "ir/model.h"
