// ap_utils.h by the path that some sources use.
#include "../ap_utils.h"
