// Ends code for an instruction set that another header has begun.
#if defined(__clang__)
#pragma clang attribute pop
#endif
