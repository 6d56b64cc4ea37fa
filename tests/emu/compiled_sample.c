/* What a compiler makes of plain C, vectorised: code that nobody here wrote. */
#include <stddef.h>
#include <stdint.h>

uint64_t dot(const int32_t *a, const int32_t *b, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (uint64_t)((int64_t)a[i] * b[i]);
    return sum;
}

int64_t largest(const int16_t *a, size_t n)
{
    int16_t best = INT16_MIN;
    for (size_t i = 0; i < n; i++)
        best = a[i] > best ? a[i] : best;
    return best;
}

void reverse_bytes(const uint64_t *in, uint64_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = __builtin_bswap64(in[i]);
}

void rotate(const uint32_t *in, uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (in[i] << 7 | in[i] >> 25) + (uint32_t)i;
}

void saturate(const int32_t *in, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] < 0 ? 0 : in[i] > 255 ? 255 : (uint8_t)in[i];
}

void divide(const int32_t *a, const int32_t *b, int32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (b[i] != 0)
            out[i] = a[i] / b[i];
}

void interleave(const uint16_t *a, const uint16_t *b, uint16_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = a[i];
        out[2 * i + 1] = b[i];
    }
}

static const uint8_t table[16] = "0123456789abcdef";

void gather(const uint8_t *in, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = table[in[i] & 15];
}

uint64_t classify(uint64_t kind, uint64_t x)
{
    switch (kind) { /* a jump table */
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x ^ 0xff;
    case 3: return (uint64_t)__builtin_popcountll(x);
    case 4: return (uint64_t)__builtin_clzll(x | 1);
    case 5: return x / 7;
    case 6: return x % 10;
    default: return 0;
    }
}
