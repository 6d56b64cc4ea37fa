/* The tables, made real: features.def and backends.def as arrays, and a row resolved for a CPU. */
#include "backend.h"

#define FC_COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char fc_arch[] = FC_STR(FC_ARCH);

/* ---- features -------------------------------------------------------------------------------- */
const struct fc_feature fc_features[] = {
#define FC_FEATURE(arch, bit, name, probe, trial)                                                  \
    {#name, #arch, (FC_IF_##arch(1 +) 0) ? (bit) : -1},
#include "features.def"
#undef FC_FEATURE
};
const size_t fc_feature_count = FC_COUNT(fc_features);

/* ---- backends --------------------------------------------------------------------------------
 * FC_ASM_IF_<arch>: as FC_IF_<arch>, and drops its arguments too where the build has no assembly
 * (FC_NO_ASM: the compiler takes no .S files). The rows stay in the table without kernels, so that
 * messages can say why they are missing.
 */
#ifdef FC_NO_ASM
#define FC_ASM_IF_x86_64 FC_DROP
#define FC_ASM_IF_aarch64 FC_DROP
#define FC_ASM_IF_arm FC_DROP
#define FC_ASM_IF_ppc FC_DROP
#define FC_ASM_IF_riscv64 FC_DROP
#else
#define FC_ASM_IF_x86_64 FC_IF_x86_64
#define FC_ASM_IF_aarch64 FC_IF_aarch64
#define FC_ASM_IF_arm FC_IF_arm
#define FC_ASM_IF_ppc FC_IF_ppc
#define FC_ASM_IF_riscv64 FC_IF_riscv64
#endif
#define FC_ASM_IF_any FC_KEEP

/* Declares every kernel that the rows of this build name. */
#define FC_BACKEND(name, arch, features, flags, chacha20, chacha20_min, hchacha20, poly1305,       \
                   poly1305_min, aead, aead_min, note)                                             \
    FC_ASM_IF_##arch(                                                                              \
        fc_chacha20_fn fc_chacha20_##chacha20; fc_hchacha20_fn fc_hchacha20_##hchacha20;           \
        fc_poly1305_blocks_fn fc_poly1305_blocks_##poly1305; fc_aead_fn fc_aead_##aead;)
#include "backends.def"
#undef FC_BACKEND

#define FC_NEED_NONE 0
#define FC_NEED(feature) (UINT64_C(1) << FC_BIT_##feature)

/* `none` in the AEAD column. */
#define fc_aead_none NULL

const struct fc_backend fc_backends[] = {
#define FC_BACKEND(name, arch, features, flags, chacha20, chacha20_min, hchacha20, poly1305,       \
                   poly1305_min, aead, aead_min, note)                                             \
    {#name,                                                                                        \
     #arch,                                                                                        \
     FC_IF_##arch(1 +) 0,                                                                          \
     FC_ASM_IF_##arch(1 +) 0,                                                                      \
     FC_IF_##arch((features) |) UINT64_C(0),                                                       \
     flags,                                                                                        \
     note,                                                                                         \
     {{#chacha20, FC_ASM_IF_##arch(1 ? (void (*)(void))fc_chacha20_##chacha20 :) NULL,             \
       chacha20_min},                                                                              \
      {#hchacha20, FC_ASM_IF_##arch(1 ? (void (*)(void))fc_hchacha20_##hchacha20 :) NULL, 0},      \
      {#poly1305, FC_ASM_IF_##arch(1 ? (void (*)(void))fc_poly1305_blocks_##poly1305 :) NULL,      \
       poly1305_min},                                                                              \
      {#aead, FC_ASM_IF_##arch(1 ? (void (*)(void))fc_aead_##aead :) NULL, aead_min}}},
#include "backends.def"
#undef FC_BACKEND
};
const size_t fc_backend_count = FC_COUNT(fc_backends);

int fc_counting;
uint64_t fc_calls[FC_COUNT(fc_backends)][FC_SLOTS];

int fc_backend_available(const struct fc_backend *b, uint64_t features) {
    return b->here && b->assembled && (b->features & features) == b->features;
}

/* The row that short input of a vector row falls to: the best available scalar row. */
static const struct fc_backend *scalar_row(uint64_t features) {
    const struct fc_backend *b = fc_backends;
    while (!(b->flags & FC_SCALAR && fc_backend_available(b, features))) b++;
    return b; /* `generic` at the latest */
}

void fc_resolve(struct fc_kernel *k, const struct fc_backend *b, uint64_t features) {
    const struct fc_backend *s = b->flags & (FC_SCALAR | FC_EMULATED) ? b : scalar_row(features);
    memset(k, 0, sizeof *k);
    k->chacha20 = (fc_chacha20_fn *)b->slot[FC_SLOT_CHACHA20].fn;
    k->chacha20_short = (fc_chacha20_fn *)s->slot[FC_SLOT_CHACHA20].fn;
    k->chacha20_min = b->slot[FC_SLOT_CHACHA20].min;
    k->hchacha20 = (fc_hchacha20_fn *)b->slot[FC_SLOT_HCHACHA20].fn;
    k->poly1305 = (fc_poly1305_blocks_fn *)b->slot[FC_SLOT_POLY1305].fn;
    k->poly1305_short = (fc_poly1305_blocks_fn *)s->slot[FC_SLOT_POLY1305].fn;
    k->poly1305_min = b->slot[FC_SLOT_POLY1305].min;
    k->aead = (fc_aead_fn *)b->slot[FC_SLOT_AEAD].fn;
    k->aead_min = b->slot[FC_SLOT_AEAD].min;
    k->flags = b->flags;
    k->row = (unsigned)(b - fc_backends);
    k->row_short = (unsigned)(s - fc_backends);
}

/* ---- architectures without features -----------------------------------------------------------
 */
/* One line for each that has a csrc/cpu_<arch>.c: */
#define FC_HAS_DETECTION                                                                           \
    (FC_IF_x86_64(1 +) FC_IF_aarch64(1 +) FC_IF_arm(1 +) FC_IF_ppc(1 +) FC_IF_riscv64(1 +) 0)
#if !FC_HAS_DETECTION
uint64_t fc_cpu_detect(void) { return 0; }
#endif
