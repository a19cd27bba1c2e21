#include "program/kernel.h"
