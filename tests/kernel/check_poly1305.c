/* Poly1305 kernels against the checker's own arithmetic (reference.c). */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define ONES UINT64_MAX
#define MAX_BLOCKS (MAX_LEN / 16)

/* The largest clamped r (RFC 8439, section 2.5). */
#define R0_MAX UINT64_C(0x0ffffffc0fffffff)
#define R1_MAX UINT64_C(0x0ffffffc0ffffffc)

/* One key, one message, one h to start from, and h after each block. */
struct chain {
    uint64_t h[3], r[2];
    const uint8_t *in;
    uint32_t padbit;
    uint64_t (*trace)[3];
};

static void chain_init(struct chain *c, size_t blocks) {
    c->trace = malloc((blocks + 1) * sizeof *c->trace);
    if (!c->trace) fail("no memory");
    poly_trace(c->trace, c->h, c->r, c->in, blocks, c->padbit);
}

#define CACHE_FILL 0xc3

/* A fresh struct at `where`, as fc_mac_init leaves it: nothing said about the powers but that there
 * are none. */
static struct fc_poly1305 *fresh(const struct chain *c, int where) {
    struct fc_poly1305 *p = (void *)put(&arena_poly, sizeof *p, where);
    memset(p, CACHE_FILL, sizeof *p);
    memcpy(p->h, c->h, sizeof p->h);
    memcpy(p->r, c->r, sizeof p->r);
    p->s[0] = UINT64_C(0x1122334455667788);
    p->s[1] = UINT64_C(0x99aabbccddeeff00);
    p->powers_kind = FC_POWERS_NONE;
    return p;
}

/* What holds after every call, and h itself. */
static void settled(const struct fc_poly1305 *p, const uint64_t r[2], const uint64_t want[3]) {
    uint64_t h[3] = {p->h[0], p->h[1], p->h[2]};
    if (h[2] > 4)
        fail("h[2] is %llu, above its bound 4", (unsigned long long)h[2]);
    poly_canonical(h);
    if (memcmp(h, want, sizeof h))
        fail("h is %llx:%016llx:%016llx instead of %llx:%016llx:%016llx (reduced)",
             (unsigned long long)h[2], (unsigned long long)h[1], (unsigned long long)h[0],
             (unsigned long long)want[2], (unsigned long long)want[1],
             (unsigned long long)want[0]);
    if (memcmp(p->r, r, sizeof p->r)) fail("r was written");
    if (p->s[0] != UINT64_C(0x1122334455667788) || p->s[1] != UINT64_C(0x99aabbccddeeff00))
        fail("s was written");
    if (p->powers_kind == FC_POWERS_NONE)
        for (size_t i = 0; i < sizeof p->powers; i++)
            if (((const uint8_t *)p->powers)[i] != CACHE_FILL)
                fail("powers[] was written, yet powers_kind is 0: it would not be wiped");
    intact("struct fc_poly1305", &arena_poly);
}

/* Blocks [from, from + blocks) of the chain by one kernel. */
static void step(fc_poly1305_blocks_fn *fn, struct fc_poly1305 *p, const struct chain *c,
                 size_t from, size_t blocks, int where) {
    now.state = p;
    now.in = memcpy(put(&arena_in, 16 * blocks, where), c->in + 16 * from, 16 * blocks);
    fn(p, now.in, blocks, c->padbit);
    settled(p, c->r, c->trace[from + blocks]);
    same("in was written", now.in, c->in + 16 * from, 16 * blocks);
    intact("in", &arena_in);
    passed();
}

static void one(const struct subject *s, const struct chain *c, size_t blocks, int where,
                int struct_where) {
    begin("Poly1305", 16 * blocks);
    struct fc_poly1305 *p = fresh(c, struct_where);
    step(s->poly1305, p, c, 0, blocks, where);
}

static void random_key_r(uint64_t r[2]) {
    r[0] = random64() & R0_MAX;
    r[1] = random64() & R1_MAX;
}

/* ---- h and r at their limits ----------------------------------------------------------------- */
static void edges(const struct subject *s) {
    static const uint64_t hs[][3] = {
        {0, 0, 0},
        {ONES - 5, ONES, 3}, /* 2**130 - 6 = p - 1 */
        {ONES - 4, ONES, 3}, /* p */
        {ONES - 3, ONES, 3},
        {ONES - 2, ONES, 3},
        {ONES - 1, ONES, 3},
        {ONES, ONES, 3},     /* 2**130 - 1 */
        {0, 0, 4},           /* 2**130 */
        {ONES, ONES, 4},     /* the bound: 5 * 2**128 - 1 */
        {ONES, 0, 4},
        {0, ONES, 4},
        {ONES, ONES, 0},
    };
    static const uint64_t rs[][2] = {
        {0, 0}, {1, 0}, {2, 0}, {R0_MAX, R1_MAX}, {R0_MAX, 0}, {0, R1_MAX}, {0, 4},
    };
    static const size_t counts[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  11, 12,  13,  15,  16,
                                    17, 23, 24, 25, 31, 32, 33, 48, 63, 64, 65,  95,  96,  127,
                                    128, 129, 192, 255, 256, 257};
    enum { MOST = 257 };
    static uint8_t messages[4][MOST * 16];
    memset(messages[0], 0xff, sizeof messages[0]);
    memset(messages[1], 0, sizeof messages[1]);
    for (size_t i = 0; i < sizeof messages[2]; i++) /* limbs at all ones and around them */
        messages[2][i] = i / 16 % 3 == 0 ? (i % 16 ? 0xff : 0xfb) : i / 16 % 3 == 1 ? 0xff : i == 0;
    memcpy(messages[3], data, sizeof messages[3]);

    size_t turn = 0;
    for (size_t i = 0; i < LENGTH_OF(hs); i++)
        for (size_t j = 0; j < LENGTH_OF(rs) + 1; j++)
            for (size_t m = 0; m < 4; m++)
                for (uint32_t padbit = 0; padbit < 2; padbit++) {
                    struct chain c = {.in = messages[m], .padbit = padbit};
                    size_t most = thorough || turn % 16 == 0 ? MOST : 65;
                    memcpy(c.h, hs[i], sizeof c.h);
                    if (j < LENGTH_OF(rs))
                        memcpy(c.r, rs[j], sizeof c.r);
                    else
                        random_key_r(c.r);
                    begin("Poly1305 edges", 0);
                    chain_init(&c, most);
                    for (size_t n = 0; n < LENGTH_OF(counts) && counts[n] <= most; n++) {
                        char text[200];
                        begin("Poly1305 edges", 16 * counts[n]);
                        snprintf(text, sizeof text,
                                 "h %llx:%016llx:%016llx r %016llx:%016llx message %zu padbit %u",
                                 (unsigned long long)c.h[2], (unsigned long long)c.h[1],
                                 (unsigned long long)c.h[0], (unsigned long long)c.r[1],
                                 (unsigned long long)c.r[0], m, (unsigned)padbit);
                        now.more = text;
                        step(s->poly1305, fresh(&c, AT_END), &c, 0, counts[n], AT_END);
                    }
                    free(c.trace);
                    turn++;
                }
}

/* ---- several calls on one struct ------------------------------------------------------------- */

/* All splits of up to 64 blocks, at the kernel itself. */
static void block_splits(const struct subject *s, const struct chain *c) {
    for (size_t n = 1; n <= 64; n++)
        for (size_t i = 0; i <= n; i++) {
            begin("Poly1305 in two calls", 16 * n);
            now.n[0] = 16 * i;
            struct fc_poly1305 *p = fresh(c, AT_END);
            if (i) step(s->poly1305, p, c, 0, i, AT_END);
            if (n - i) step(s->poly1305, p, c, i, n - i, AT_END);
        }
}

/* A message handed over between any two rows and back; the powers that one has left are there for the
 * other. */
static void hand_over(const struct subject *s, const struct chain *c) {
    static const size_t parts[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 33, 64, 65, 100, 128};
    for (size_t q = 0; q < row_count; q++)
        for (int turn = 0; turn < (thorough ? 2000 : 150); turn++) {
            size_t at = 0;
            begin("Poly1305 handed over to and from", 0);
            struct fc_poly1305 *p = fresh(c, 8 * (turn % 8));
            for (int part = 0; part < 4; part++) {
                size_t n = parts[below(LENGTH_OF(parts))];
                int mine = (part + turn) % 2;
                now.len = 16 * n;
                now.more = rows[q].name;
                now.n[0] = (uint64_t)part;
                now.n[1] = 16 * at;
                step(mine ? s->poly1305 : rows[q].poly1305, p, c, at, n, (int)below(64));
                at += n;
            }
        }
}

/* Many calls with the cache warm; then another key in the same struct, the old powers still there. */
static void warm(const struct subject *s, const struct chain *c, const struct chain *other) {
    for (int turn = 0; turn < (thorough ? 300 : 20); turn++) {
        begin("Poly1305 with powers cached", 0);
        struct fc_poly1305 *p = fresh(c, AT_END);
        for (size_t at = 0; at < 600;) {
            size_t n = 1 + below(turn % 2 ? 20 : 200);
            now.len = 16 * n;
            now.n[0] = 16 * at;
            step(s->poly1305, p, c, at, n, AT_END);
            at += n;
        }
        begin("Poly1305 with another key's powers in memory", 0);
        memcpy(p->h, other->h, sizeof p->h);
        memcpy(p->r, other->r, sizeof p->r);
        p->powers_kind = FC_POWERS_NONE;
        uint8_t stale[sizeof p->powers];
        memcpy(stale, p->powers, sizeof stale);
        for (size_t at = 0; at < 300;) {
            size_t n = 1 + below(200);
            now.len = 16 * n;
            now.n[0] = 16 * at;
            now.in = memcpy(put(&arena_in, 16 * n, AT_END), other->in + 16 * at, 16 * n);
            s->poly1305(p, now.in, n, other->padbit);
            if (p->powers_kind == FC_POWERS_NONE) {
                if (memcmp(p->powers, stale, sizeof stale))
                    fail("powers[] was written, yet powers_kind is 0: it would not be wiped");
                memset(p->powers, CACHE_FILL, sizeof p->powers);
                memcpy(stale, p->powers, sizeof stale);
            }
            at += n;
            settled(p, other->r, other->trace[at]);
            passed();
        }
    }
}

/* ---- whole messages in two updates ----------------------------------------------------------- */

/* Every split of a message of up to 1024 bytes through fc_mac_update. */
static void splits(const struct fc_kernel *k) {
    static uint8_t tags[1025][16];
    uint8_t key[32];
    random_bytes(key, sizeof key);
    for (size_t n = 0; n <= 1024; n++)
        if (thorough || n % 31 == 0 || n >= 1008 || n <= 64) poly_tag(tags[n], key, data, n);
    for (size_t n = 0; n <= 1024; n++) {
        if (!thorough && n % 31 && n < 1008 && n > 64) continue;
        /* Quick: all splits of the shortest and the longest, every 13th of the others. */
        size_t stride = thorough || n <= 64 || n >= 1023 ? 1 : 13;
        for (size_t i = n % stride; i <= n; i += stride) {
            struct fc_mac m;
            uint8_t tag[16];
            begin("Poly1305 in two updates", n);
            now.n[0] = i;
            fc_mac_init(&m, key);
            now.in = memcpy(put(&arena_in, i, AT_END), data, i);
            fc_mac_update(k, &m, now.in, i);
            now.in = memcpy(put(&arena_in, n - i, AT_END), data + i, n - i);
            fc_mac_update(k, &m, now.in, n - i);
            fc_mac_final(k, &m, tag);
            same("tag", tag, tags[n], 16);
            passed();
        }
    }
}

void check_poly1305(const struct subject *s) {
    static const size_t eight[8] = {1, 4, 7, 16, 33, 64, 100, 256};
    static const size_t longer[] = {513,  640,  777,   1000,  1023, 1024, 1025, 2048,
                                    4095, 4096, 10001, 16384, 32767, MAX_BLOCKS - 1, MAX_BLOCKS};
    static struct chain main_chain, no_pad, other;

    if (!main_chain.trace) {
        begin("Poly1305", 0);
        random_key_r(main_chain.r);
        random_key_r(no_pad.r);
        random_key_r(other.r);
        main_chain.in = no_pad.in = data;
        other.in = data + 48;
        main_chain.padbit = other.padbit = 1;
        no_pad.padbit = 0;
        random_bytes(main_chain.h, 16);
        main_chain.h[2] = 2;
        chain_init(&main_chain, MAX_BLOCKS);
        chain_init(&no_pad, 513);
        chain_init(&other, 1024);
    }
    edges(s);
    for (size_t n = 0; n <= 512; n++) {
        one(s, &main_chain, n, AT_END, AT_END);
        one(s, &main_chain, n, AT_START, AT_START);
        one(s, &main_chain, n, (int)(7 * n) & 63, 8 * (int)(n & 7));
        one(s, &no_pad, n, AT_END, AT_END);
    }
    for (size_t i = 0; i < LENGTH_OF(longer); i++)
        one(s, &main_chain, longer[i], i % 2 ? AT_END : (int)i, AT_END);
    for (size_t i = 0; i < 8; i++)
        for (int in = 0; in < 64; in++)
            for (int p = 0; p < 8; p++) one(s, &main_chain, eight[i], in, 8 * p);
    block_splits(s, &main_chain);
    hand_over(s, &main_chain);
    warm(s, &main_chain, &other);
    splits(&s->direct);
    splits(&s->row);
}
