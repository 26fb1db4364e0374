#include "data/text/shell_glob.h"

#include <gtest/gtest.h>
