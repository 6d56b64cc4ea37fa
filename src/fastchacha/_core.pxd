# The C layer as _core.pyx sees it: csrc/backend.h, chacha20.h, poly1305.h, aead.h.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from "backend.h" nogil:
    const char fc_arch[]

    struct fc_feature:
        const char *name
        const char *arch
        int bit
    const fc_feature fc_features[]
    const size_t fc_feature_count

    enum:
        FC_SCALAR
        FC_EMULATED
        FC_SLOTS

    struct fc_slot:
        const char *kernel
        size_t min
    struct fc_backend:
        const char *name
        const char *arch
        int here
        int assembled
        uint64_t features
        unsigned flags
        const char *note
        fc_slot slot[4]
    const fc_backend fc_backends[]
    const size_t fc_backend_count

    struct fc_kernel:
        unsigned flags

    struct fc_poly1305:
        pass

    uint64_t fc_cpu_detect()
    int fc_cpu_trial_in_child(int bit)
    int fc_backend_available(const fc_backend *b, uint64_t features)
    void fc_resolve(fc_kernel *k, const fc_backend *b, uint64_t features)
    int fc_counting
    uint64_t fc_calls[][4]
    void fc_wipe(void *p, size_t n)
    void fc_run_hchacha20(const fc_kernel *k, uint32_t *out, const uint32_t *state,
                          unsigned rounds)
    void fc_store32le(uint8_t *p, uint32_t x)

cdef extern from "chacha20.h" nogil:
    struct fc_position:
        uint64_t block
        unsigned offset
        unsigned end
    void fc_chacha20_setup(uint32_t *state, const uint8_t *key, const uint8_t *nonce,
                           size_t nonce_len)
    void fc_xchacha20_setup(const fc_kernel *k, uint32_t *state, const uint8_t *key,
                            const uint8_t *nonce, unsigned rounds)
    int fc_position_advance(fc_position *p, uint64_t n, int wide)
    void fc_chacha20_xor(const fc_kernel *k, const uint32_t *state, fc_position at, int wide,
                         const uint8_t *src, uint8_t *out, size_t len, unsigned rounds)

cdef extern from "poly1305.h" nogil:
    struct fc_mac:
        pass
    void fc_mac_init(fc_mac *m, const uint8_t *key)
    void fc_mac_update(const fc_kernel *k, fc_mac *m, const uint8_t *data, size_t len)
    void fc_mac_final(const fc_kernel *k, fc_mac *m, uint8_t *tag)
    void fc_mac_wipe(fc_mac *m)
    int fc_equal16(const uint8_t *a, const uint8_t *b)

cdef extern from "aead.h" nogil:
    const uint64_t FC_AEAD_MAX
    struct fc_aead:
        uint64_t data_len
    void fc_aead_init(const fc_kernel *k, fc_aead *a, const uint8_t *key, const uint8_t *nonce,
                      size_t nonce_len)
    void fc_aead_update(const fc_kernel *k, fc_aead *a, const uint8_t *aad, size_t aad_len,
                        const uint8_t *src, uint8_t *out, size_t len, int decrypt)
    void fc_aead_final(const fc_kernel *k, fc_aead *a, const uint8_t *aad, size_t aad_len,
                       uint8_t *tag)
    void fc_aead_wipe(fc_aead *a)
    void fc_aead_encrypt(const fc_kernel *k, const uint8_t *key, const uint8_t *nonce,
                         size_t nonce_len, const uint8_t *aad, size_t aad_len,
                         const uint8_t *src, uint8_t *out, size_t len, uint8_t *tag)
    int fc_aead_decrypt(const fc_kernel *k, const uint8_t *key, const uint8_t *nonce,
                        size_t nonce_len, const uint8_t *aad, size_t aad_len,
                        const uint8_t *src, uint8_t *out, size_t len, const uint8_t *tag)

cdef extern from "emulated.h":
    struct fc_emulator_t "fc_emulator":
        void (*chacha20)(const char *kernel, const uint32_t *state, uint8_t *block0,
                         const uint8_t *src, uint8_t *out, size_t len,
                         unsigned rounds) noexcept
        void (*hchacha20)(const char *kernel, uint32_t *out, const uint32_t *state,
                          unsigned rounds) noexcept
        void (*poly1305)(const char *kernel, fc_poly1305 *p, const uint8_t *src, size_t blocks,
                         uint32_t padbit) noexcept
    fc_emulator_t fc_emulator
