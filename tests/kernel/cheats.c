/* Deliberately wrong kernels: does the check program catch each of them? */
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- wrong ChaCha20 kernels ------------------------------------------------------------------ */
static void wrong_at_1023(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                          uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (len == 1023) out[500] ^= 1;
}

static void wrong_with_block0(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                              uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (block0 && len >= 4000) block0[63] ^= 0x80;
}

static void writes_past_end(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                            uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (len > 256 && len % 64 == 63) ((volatile uint8_t *)out)[len] = 0;
}

static void writes_before_start(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                                uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (len > 256 && len % 64 == 63) ((volatile uint8_t *)out)[-1] = 0;
}

/* Puts back what it has spoilt, so that only a fault can tell. */
static void reads_past_end(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                           uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (len > 64 && len % 64) (void)((const volatile uint8_t *)in)[len];
}

static void reads_before_start(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                               uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (len > 64 && len % 64) (void)((const volatile uint8_t *)in)[-1];
}

static void reads_past_state(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                             uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (len > 64) (void)*(const volatile uint8_t *)((uintptr_t)state + 64);
}

static void writes_state(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
                         size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (len > 2000) ((uint32_t *)state)[12] += 1;
}

static void ignores_rounds(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                           uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, len > 1024 ? 20 : rounds);
}

static void wrong_in_place(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                           uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (in == out && len > 512) out[512] ^= out[0] | 1;
}

static void wrong_when_misaligned(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                                  uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    if (len > 512 && ((uintptr_t)in & 63) == 37 && ((uintptr_t)out & 63) == 5) out[1] ^= 2;
}

/* Counts blocks in 16 bits. */
static void loses_carry(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
                        size_t len, unsigned rounds) {
    uint32_t s[16];
    memcpy(s, state, sizeof s);
    for (size_t n; len || block0; in += n, out += n, len -= n, block0 = NULL) {
        n = block0 ? 0 : len < 64 ? len : 64;
        fc_chacha20_generic(s, block0, in, out, n, rounds);
        s[12] = (s[12] & 0xffff0000) | ((s[12] + 1) & 0xffff);
    }
}

/* Carries the counter into word 13 where a call ends at block 2**32. */
static void carries_at_end(const uint32_t state[16], uint8_t *block0, const uint8_t *in,
                           uint8_t *out, size_t len, unsigned rounds) {
    fc_chacha20_generic(state, block0, in, out, len, rounds);
    uint64_t end = (uint64_t)state[12] + (len + 63) / 64 + (block0 != NULL);
    if (len > 4 && end == UINT64_C(1) << 32) out[len - 1] ^= 1;
}

/* Does nothing at all. */
static void idle(const uint32_t state[16], uint8_t *block0, const uint8_t *in, uint8_t *out,
                 size_t len, unsigned rounds) {
    (void)state, (void)block0, (void)in, (void)out, (void)len, (void)rounds;
}

static void hchacha_ignores_rounds(uint32_t out[8], const uint32_t state[16], unsigned rounds) {
    (void)rounds;
    fc_hchacha20_generic(out, state, 20);
}

/* ---- wrong Poly1305 kernels ------------------------------------------------------------------ */

/* h + p is the same value, but above the bound where h is already large. */
static void h_above_bound(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                          uint32_t padbit) {
    fc_poly1305_blocks_generic(p, in, blocks, padbit);
    uint64_t h0 = p->h[0] - 5;
    uint64_t borrow = p->h[0] < 5;
    if (blocks > 32 && p->h[2] >= 1) {
        p->h[2] += 4 - (p->h[1] < borrow);
        p->h[1] -= borrow;
        p->h[0] = h0;
    }
}

/* Takes h for less than 2**130. */
static void h_loses_top(struct fc_poly1305 *p, const uint8_t *in, size_t blocks, uint32_t padbit) {
    if (blocks) p->h[2] &= 3;
    fc_poly1305_blocks_generic(p, in, blocks, padbit);
}

static void ignores_padbit(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                           uint32_t padbit) {
    fc_poly1305_blocks_generic(p, in, blocks, blocks >= 16 ? 1 : padbit);
}

/* Uses another key's powers: never looks at powers_kind. */
static void stale_powers(struct fc_poly1305 *p, const uint8_t *in, size_t blocks, uint32_t padbit) {
    uint64_t r[2] = {p->r[0], p->r[1]};
    if (blocks >= 8) {
        if (p->powers[2] != 0x5157) {
            p->powers_kind = FC_POWERS_NEON;
            p->powers[0] = r[0];
            p->powers[1] = r[1];
            p->powers[2] = 0x5157;
        }
        p->r[0] = p->powers[0];
        p->r[1] = p->powers[1];
    }
    fc_poly1305_blocks_generic(p, in, blocks, padbit);
    p->r[0] = r[0];
    p->r[1] = r[1];
}

/* Leaves secrets in powers[] and does not say so. */
static void unmarked_powers(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                            uint32_t padbit) {
    fc_poly1305_blocks_generic(p, in, blocks, padbit);
    if (blocks >= 8) p->powers[FC_POWERS_WORDS - 1] = p->r[0];
}

static void powers_past_end(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                            uint32_t padbit) {
    volatile uint64_t *powers = p->powers;
    fc_poly1305_blocks_generic(p, in, blocks, padbit);
    p->powers_kind = FC_POWERS_NEON;
    if (blocks >= 8) powers[FC_POWERS_WORDS] = p->r[0];
}

static void poly_reads_past_end(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                                uint32_t padbit) {
    fc_poly1305_blocks_generic(p, in, blocks, padbit);
    if (blocks >= 4) (void)((const volatile uint8_t *)in)[16 * blocks];
}

/* Reduces wrongly where h lies in [p, 2**130) after a block. */
static void wrong_above_p(struct fc_poly1305 *p, const uint8_t *in, size_t blocks,
                          uint32_t padbit) {
    fc_poly1305_blocks_generic(p, in, blocks, padbit);
    if (blocks && p->h[2] == 3 && p->h[1] == UINT64_MAX && p->h[0] >= UINT64_MAX - 4) p->h[0] = 0;
}

/* ---- combined kernels ------------------------------------------------------------------------ */
static void aead_two_step(const uint32_t state[16], struct fc_poly1305 *p, const uint8_t *in,
                          uint8_t *out, size_t len, int decrypt) {
    if (decrypt) fc_poly1305_blocks_generic(p, in, len / 16, 1);
    fc_chacha20_generic(state, NULL, in, out, len, 20);
    if (!decrypt) fc_poly1305_blocks_generic(p, out, len / 16, 1);
}

/* Authenticates what it has just overwritten. */
static void aead_wrong_in_place(const uint32_t state[16], struct fc_poly1305 *p, const uint8_t *in,
                                uint8_t *out, size_t len, int decrypt) {
    fc_chacha20_generic(state, NULL, in, out, len, 20);
    fc_poly1305_blocks_generic(p, decrypt ? in : out, len / 16, 1);
}

static void aead_forgets_last(const uint32_t state[16], struct fc_poly1305 *p, const uint8_t *in,
                              uint8_t *out, size_t len, int decrypt) {
    aead_two_step(state, p, in, out, len, decrypt);
    if (len == 64 * 33) p->h[0] ^= 1;
}

/* ---- the list -------------------------------------------------------------------------------- */
static const struct {
    const char *name;
    int status; /* how it must end */
    fc_chacha20_fn *chacha20;
    fc_hchacha20_fn *hchacha20;
    fc_poly1305_blocks_fn *poly1305;
    fc_aead_fn *aead;
} cheats[] = {
    /* Nothing wrong: shows that what is caught below is not caught for another reason. */
    {"honest", 0, NULL, NULL, NULL, aead_two_step},
    {"wrong_at_1023", EXIT_WRONG, wrong_at_1023, NULL, NULL, NULL},
    {"wrong_with_block0", EXIT_WRONG, wrong_with_block0, NULL, NULL, NULL},
    {"writes_past_end", EXIT_FAULT, writes_past_end, NULL, NULL, NULL},
    {"writes_before_start", EXIT_WRONG, writes_before_start, NULL, NULL, NULL},
    {"reads_past_end", EXIT_FAULT, reads_past_end, NULL, NULL, NULL},
    {"reads_before_start", EXIT_FAULT, reads_before_start, NULL, NULL, NULL},
    {"reads_past_state", EXIT_FAULT, reads_past_state, NULL, NULL, NULL},
    {"writes_state", EXIT_WRONG, writes_state, NULL, NULL, NULL},
    {"ignores_rounds", EXIT_WRONG, ignores_rounds, NULL, NULL, NULL},
    {"wrong_in_place", EXIT_WRONG, wrong_in_place, NULL, NULL, NULL},
    {"wrong_when_misaligned", EXIT_WRONG, wrong_when_misaligned, NULL, NULL, NULL},
    {"loses_carry", EXIT_WRONG, loses_carry, NULL, NULL, NULL},
    {"carries_at_end", EXIT_WRONG, carries_at_end, NULL, NULL, NULL},
    {"idle", EXIT_WRONG, idle, NULL, NULL, NULL},
    {"hchacha_ignores_rounds", EXIT_WRONG, NULL, hchacha_ignores_rounds, NULL, NULL},
    {"h_above_bound", EXIT_WRONG, NULL, NULL, h_above_bound, NULL},
    {"h_loses_top", EXIT_WRONG, NULL, NULL, h_loses_top, NULL},
    {"ignores_padbit", EXIT_WRONG, NULL, NULL, ignores_padbit, NULL},
    {"stale_powers", EXIT_WRONG, NULL, NULL, stale_powers, NULL},
    {"unmarked_powers", EXIT_WRONG, NULL, NULL, unmarked_powers, NULL},
    {"powers_past_end", EXIT_FAULT, NULL, NULL, powers_past_end, NULL},
    {"poly_reads_past_end", EXIT_FAULT, NULL, NULL, poly_reads_past_end, NULL},
    {"wrong_above_p", EXIT_WRONG, NULL, NULL, wrong_above_p, NULL},
    {"aead_wrong_in_place", EXIT_WRONG, NULL, NULL, NULL, aead_wrong_in_place},
    {"aead_forgets_last", EXIT_WRONG, NULL, NULL, NULL, aead_forgets_last},
};

int cheat(struct subject *s, const char *name) {
    size_t i = 0;
    while (i < LENGTH_OF(cheats) && strcmp(cheats[i].name, name)) i++;
    if (i == LENGTH_OF(cheats)) return 0;
    const struct fc_backend *b = fc_backends;
    while (strcmp(b->name, "generic")) b++;
    subject_of_row(s, b, 0);
    s->name = cheats[i].name;
    if (cheats[i].chacha20) s->chacha20 = cheats[i].chacha20;
    if (cheats[i].hchacha20) s->hchacha20 = cheats[i].hchacha20;
    if (cheats[i].poly1305) s->poly1305 = cheats[i].poly1305;
    s->aead = cheats[i].aead;
    subject_direct(s);
    s->row = s->direct;
    return 1;
}

/* Runs `program --cheat name` and returns its exit status; -1 if it cannot. Each in a process of its
 * own: a fault ends it. */
#if defined(_WIN32)
#include <process.h>
static int run(const char *program, const char *name) {
    return (int)_spawnl(_P_WAIT, program, "check", "--cheat", name, NULL);
}
#else
#include <sys/wait.h>
#include <unistd.h>
static int run(const char *program, const char *name) {
    (void)program;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct subject s;
        memory_init();
        data_init();
        catch_faults();
        cheat(&s, name);
        check_all(&s);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
#endif

int self_test(const char *program) {
    int escaped = 0;
    for (size_t i = 0; i < LENGTH_OF(cheats); i++) {
        int status = run(program, cheats[i].name);
        const char *verdict = status == cheats[i].status ? "as it should" : "NOT AS IT SHOULD";
        printf("self-test: %s ended with status %d, %s\n", cheats[i].name, status, verdict);
        if (status != cheats[i].status) escaped++;
    }
    printf("self-test: %zu wrong kernels, %d not caught\n", LENGTH_OF(cheats) - 1, escaped);
    fflush(stdout);
    return escaped;
}
