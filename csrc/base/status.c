// Owns nothing: formats error details. A message that does not fit is cut off, never overrun.
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

PhStatus ph_fail(PhError *error, PhStatus status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        if (vsnprintf(error->message, sizeof error->message, format, arguments) < 0) {
            error->message[0] = '\0';
        }
        va_end(arguments);
    }
    return status;
}
