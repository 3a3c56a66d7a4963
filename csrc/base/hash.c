// Owns nothing. Words are assembled byte by byte, so that every byte order gives the same hash.
#include "base/hash.h"

#define PRIME 1099511628211u

static uint64_t fold(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * PRIME;
    return hash ^ (hash >> 32);
}

uint64_t ph_hash(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        uint64_t word = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
                        (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 |
                        (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
        hash = fold(hash, word);
    }
    for (; bytes > 0; bytes--, at++) {
        hash = fold(hash, *at);
    }
    return hash;
}
