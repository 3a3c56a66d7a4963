// Owns nothing. Words are assembled byte by byte, so that every byte order gives the same hash.
#include "base/hash.h"

#define PRIME 1099511628211u

static uint64_t fold(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * PRIME;
    return hash ^ (hash >> 32);
}

static uint64_t word_at(const unsigned char *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

uint64_t ph_hash(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *at = data;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        hash = fold(hash, word_at(at));
    }
    for (; bytes > 0; bytes--, at++) {
        hash = fold(hash, *at);
    }
    return hash;
}

uint64_t ph_checksum(const void *data, size_t bytes) {
    const unsigned char *at = data;
    uint64_t part[4] = {PH_HASH_START, PH_HASH_START, PH_HASH_START, PH_HASH_START};
    for (; bytes >= 32; bytes -= 32, at += 32) {
        for (int k = 0; k < 4; k++) {
            part[k] = fold(part[k], word_at(at + 8 * k));
        }
    }
    uint64_t hash = PH_HASH_START;
    for (int k = 0; k < 4; k++) {
        hash = fold(hash, part[k]);
    }
    return ph_hash(hash, at, bytes);
}
