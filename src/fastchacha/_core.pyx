# cython: language_level=3, freethreading_compatible=True
# cython: binding=False, embedsignature=True, embedsignature.format=clinic, autotestdict=False
# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Buffers, lengths, errors and the GIL; the work is done in C and assembly below.

Every operation is one C call that writes straight into the result. Buffers are held through
PyObject_GetBuffer for as long as C looks at them, so that nobody can resize or free them.
"""
import os

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport UINT32_MAX, UINT64_MAX, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy, memset, strchr

cdef extern from "Python.h":
    bint PyBytes_CheckExact(object o)
    Py_ssize_t PyBytes_GET_SIZE(object o)
    bint PyObject_CheckBuffer(object o)
    # Declared without `except`: the error path is reshaped in refuse_buffer.
    int PyObject_GetBuffer(object o, Py_buffer *view, int flags)
    void PyBuffer_Release(Py_buffer *view)
    int PyBUF_SIMPLE
    int PyBUF_WRITABLE
    int PyBUF_FORMAT
    int PyBUF_ND
    int PyBUF_FULL_RO
    object PyNumber_Index(object o)
    void PyErr_Clear()
    int PyBUF_READ
    int PyBUF_WRITE
    object PyMemoryView_FromMemory(char *p, Py_ssize_t n, int flags)
    unsigned long PyThread_get_thread_ident()

cdef extern from *:
    """
    #define FC_VERSION_STRING FC_STR(FC_VERSION)
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define fc_atomic_add(p, n) ((void)_InterlockedExchangeAdd((volatile long *)(p), (n)))
    #else
    #define fc_atomic_add(p, n) ((void)__atomic_fetch_add((p), (n), __ATOMIC_SEQ_CST))
    #endif
    """
    const char *FC_VERSION_STRING
    void fc_atomic_add(int *p, int n) nogil

__version__ = FC_VERSION_STRING.decode("ascii")


class InvalidTag(ValueError):
    """The authentication tag does not belong to the message (RFC 8439, section 2.8).

    Nothing that was decrypted is returned or left in an output buffer. A subclass of ValueError.
    """

    __module__ = "fastchacha"


# ---- the chosen backend -------------------------------------------------------------------------
# Written once, at import, before anything can use it.
cdef fc_kernel kernel
cdef const fc_kernel *K = &kernel

# From this many bytes on the GIL is released during the work: docs/performance.md has the
# measurement. Emulated backends never release it.
cdef enum:
    RELEASE_FROM = 2048
cdef size_t release_from = RELEASE_FROM


# ---- buffers ------------------------------------------------------------------------------------
cdef struct Buffer:
    const uint8_t *p
    Py_ssize_t n
    bint held
    Py_buffer view

cdef uint8_t nothing[1]


cdef int reraise() except -1:
    # The error indicator is set already.
    return -1


cdef int refuse_buffer(object o, str name, int flags) except -1:
    """Turns a failed PyObject_GetBuffer into one clear exception."""
    cdef Py_buffer view
    try:
        reraise()
    except BufferError as error:
        raise BufferError(f"{name}: {error}") from None
    except ValueError as error:
        # NumPy's way to say "not contiguous" or "read-only"; a released memoryview or a closed mmap
        # says ValueError too, and gives no buffer of any kind.
        if PyObject_GetBuffer(o, &view, PyBUF_FULL_RO) == 0:
            PyBuffer_Release(&view)
            raise BufferError(f"{name}: {error}") from None
        PyErr_Clear()
        raise
    return -1


cdef int refuse_objects(str name, const char *format) except -1:
    """Pointers to Python objects are no data; overwritten, they would crash the interpreter."""
    cdef bint in_name = False
    while format[0]:
        if format[0] == c":":  # around the names of fields
            in_name = not in_name
        elif format[0] == c"O" and not in_name:
            raise TypeError(f"{name} must be a buffer of bytes or numbers, not of Python objects")
        format += 1
    return 0


cdef inline int get_buffer(object o, str name, Buffer *b, int flags) except -1:
    if PyBytes_CheckExact(o) and flags == PyBUF_SIMPLE:
        b.p = <const uint8_t *> PyBytes_AS_STRING(o)
        b.n = PyBytes_GET_SIZE(o)
        return 0
    if not PyObject_CheckBuffer(o):
        raise TypeError(f"{name} must be a bytes-like object, not {type(o).__name__}")
    if PyObject_GetBuffer(o, &b.view, flags | PyBUF_ND | PyBUF_FORMAT) != 0:
        refuse_buffer(o, name, flags)
    b.held = True
    if b.view.format != NULL and strchr(b.view.format, c"O") != NULL:
        refuse_objects(name, b.view.format)
    b.p = <const uint8_t *> b.view.buf
    b.n = b.view.len
    if b.n == 0:
        b.p = nothing
    return 0


cdef struct Buffers:
    # What one call holds. Cleared first, taken one by one, released together in a `finally`.
    Buffer key
    Buffer nonce
    Buffer data
    Buffer aad
    Buffer tag
    Buffer out


cdef inline void clear(Buffers *b) noexcept:
    b.key.held = b.nonce.held = b.data.held = b.aad.held = b.tag.held = b.out.held = False


cdef inline void put(Buffer *b) noexcept:
    if b.held:
        PyBuffer_Release(&b.view)


cdef inline void release(Buffers *b) noexcept:
    put(&b.key)
    put(&b.nonce)
    put(&b.data)
    put(&b.aad)
    put(&b.tag)
    put(&b.out)


cdef inline int get_input(object o, str name, Buffer *b) except -1:
    return get_buffer(o, name, b, PyBUF_SIMPLE)


cdef inline int get_output(object o, str name, Buffer *b) except -1:
    return get_buffer(o, name, b, PyBUF_WRITABLE)


cdef inline int get_aad(object o, Buffer *b) except -1:
    if o is None:
        b.p = nothing
        b.n = 0
        return 0
    return get_buffer(o, "associated_data", b, PyBUF_SIMPLE)


cdef inline bint overlap(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len) noexcept:
    if a_len == 0 or b_len == 0:
        return False
    return <uintptr_t> a < <uintptr_t> b + b_len and <uintptr_t> b < <uintptr_t> a + a_len


cdef inline int check_overlap(const Buffer *data, size_t n, const Buffer *out,
                              size_t written) except -1:
    """n bytes of data and the bytes written to out: in place (both begin together) or disjoint."""
    if data.p != out.p and overlap(data.p, n, out.p, written):
        raise ValueError(
            "data and output overlap: they must be disjoint, or begin at the same byte (in place)"
        )
    return 0


cdef inline int check_room(const Buffer *data, const Buffer *out) except -1:
    """For the *_into calls of streams, whose output may be longer than data."""
    if out.n < data.n:
        raise ValueError(
            f"out must be at least as long as data ({data.n} bytes), not {out.n} bytes"
        )
    return check_overlap(data, data.n, out, data.n)


cdef inline bytes new_bytes(Py_ssize_t n):
    return PyBytes_FromStringAndSize(NULL, n)


cdef inline uint8_t *bytes_of(bytes o) noexcept:
    return <uint8_t *> PyBytes_AS_STRING(o)


cdef int wrong_size(str name, str belongs, Py_ssize_t came) except -1:
    raise ValueError(f"{name} must be {belongs}, not {came} bytes")


cdef inline int check_size(str name, Py_ssize_t belongs, Py_ssize_t came) except -1:
    if came != belongs:
        wrong_size(name, f"{belongs} bytes", came)
    return 0


cdef unsigned check_rounds(object rounds) except 0:
    number = PyNumber_Index(rounds)
    if number == 20:
        return 20
    if number == 8:
        return 8
    if number == 12:
        return 12
    raise ValueError(f"rounds must be 8, 12 or 20, not {number}")


cdef object random_key():
    return os.urandom(32)


# ---- objects ------------------------------------------------------------------------------------
cdef class _Secret:
    """What every object with a key has in common: it is neither pickled nor copied."""

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle or copy {type(self).__name__!r} object: it holds a key")


# A forked child has only the thread that forked. An object whose lock another thread held then, or
# was about to get, would never be unlocked in the child, and its state may be half-way through a
# message.
cdef unsigned process_generation = 1


def _after_fork_in_child():
    global process_generation
    process_generation += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


cdef class _Locked(_Secret):
    """An object with state that one call at a time must have for itself."""
    cdef cython.pymutex lock
    cdef int users            # calls that hold the lock or wait for it
    cdef unsigned generation  # process_generation of the newest of them
    cdef bint open            # False until it has a key, and after finalize

    cdef inline int enter(self) except -1:
        """Before the lock is asked for; leave() after it was given back."""
        if self.users and self.generation != process_generation:
            self.refuse_lost()
        self.generation = process_generation
        fc_atomic_add(&self.users, 1)
        return 0

    cdef inline void leave(self) noexcept:
        fc_atomic_add(&self.users, -1)

    cdef int refuse_lost(self) except -1:
        raise RuntimeError(
            f"this {type(self).__name__} was in use by another thread when the process forked: "
            "its state is lost in the child"
        )

    cdef int check_open(self) except -1:
        if not self.open:
            raise ValueError(f"this {type(self).__name__} has been finalized")
        return 0


# The exact end of a keystream in bytes: 2**32 or 2**64 blocks. Python integers (C's are too small).
cdef object LIMIT = pow(2, 38)
cdef object WIDE_LIMIT = pow(2, 70)

# From this many bytes on it is worth a look whether they fit before memory is asked for.
cdef enum:
    LONG = 1 << 20

# ---- ChaCha20 -----------------------------------------------------------------------------------
cdef int exhausted(object left, object asked) except -1:
    raise OverflowError(
        f"the keystream has {left} bytes left at this position, {asked} were asked for"
    )


cdef class _Stream(_Locked):
    """Keystream position and XOR, for ChaCha20 and XChaCha20."""
    cdef uint32_t state[16]
    cdef fc_position position
    cdef unsigned rounds
    cdef bint wide

    def __cinit__(self, *args, **kwargs):
        if type(self) is _Stream:
            raise TypeError("make a ChaCha20 or an XChaCha20")

    def __dealloc__(self):
        fc_wipe(self.state, sizeof(self.state))

    cdef inline int check_left(self, size_t n) except -1:
        """For long input: says that it is too long before memory for the result is asked for."""
        if n < LONG:
            return 0
        cdef fc_position at
        self.position_now(&at)
        left = self.limit() - self.offset_of(&at)
        if n > left:
            exhausted(left, n)
        return 0

    cdef int set_counter(self, object counter) except -1:
        cdef object number = PyNumber_Index(counter)
        cdef uint64_t most = UINT64_MAX if self.wide else UINT32_MAX
        if number < 0 or number > most:
            raise ValueError(
                f"counter must be from 0 to 2**{64 if self.wide else 32} - 1 blocks, not {number}"
            )
        self.position.block = number
        self.position.offset = 0
        self.position.end = 0
        return 0

    cdef object limit(self):
        return WIDE_LIMIT if self.wide else LIMIT

    cdef inline int reserve(self, size_t n, fc_position *at) except -1:
        """Takes the next n bytes of keystream. The lock is held for this alone."""
        cdef int bad
        self.enter()
        with self.lock:
            at[0] = self.position
            bad = fc_position_advance(&self.position, n, self.wide)
        self.leave()
        if bad:
            exhausted(self.limit() - self.offset_of(at), n)
        return 0

    cdef inline int position_now(self, fc_position *at) except -1:
        self.enter()
        with self.lock:
            at[0] = self.position
        self.leave()
        return 0

    cdef object offset_of(self, const fc_position *at):
        if at.end:
            return self.limit()
        return (<object> at.block) * 64 + at.offset

    cdef inline void work(self, fc_position at, const uint8_t *data, uint8_t *out,
                          size_t n) noexcept:
        if n >= release_from:
            with nogil:
                fc_chacha20_xor(K, self.state, at, self.wide, data, out, n, self.rounds)
        else:
            fc_chacha20_xor(K, self.state, at, self.wide, data, out, n, self.rounds)

    cdef bytes run(self, object data):
        cdef Buffers b
        cdef fc_position at
        cdef bytes result
        clear(&b)
        try:
            get_input(data, "data", &b.data)
            self.check_left(b.data.n)
            result = new_bytes(b.data.n)
            self.reserve(b.data.n, &at)
            self.work(at, b.data.p, bytes_of(result), b.data.n)
            check_kernel(NULL, 0)
        finally:
            release(&b)
        return result

    cdef Py_ssize_t run_into(self, object data, object out) except -1:
        cdef Buffers b
        cdef fc_position at
        clear(&b)
        try:
            get_input(data, "data", &b.data)
            get_output(out, "out", &b.out)
            check_room(&b.data, &b.out)
            self.reserve(b.data.n, &at)
            self.work(at, b.data.p, <uint8_t *> b.out.p, b.data.n)
            check_kernel(<uint8_t *> b.out.p, b.data.n)
            return b.data.n
        finally:
            release(&b)

    def encrypt(self, data):
        """XOR data (bytes-like) with the next len(data) bytes of keystream and return the result.

        The position moves on by len(data) bytes. Raises OverflowError, with the position unmoved,
        if the keystream does not hold that many more bytes.
        """
        return self.run(data)

    def decrypt(self, data):
        """The same operation as encrypt: XOR with the keystream is its own inverse."""
        return self.run(data)

    def encrypt_into(self, data, out):
        """XOR data into out, a writable buffer of at least len(data) bytes; return len(data).

        out may be data itself; bytes of out beyond len(data) are left alone. Raises ValueError if
        out is too short or overlaps data other than from its first byte on; BufferError if it is
        read-only; OverflowError as encrypt does.
        """
        return self.run_into(data, out)

    def decrypt_into(self, data, out):
        """The same operation as encrypt_into."""
        return self.run_into(data, out)

    def keystream(self, n):
        """Return the next n bytes of keystream and move on.

        Raises ValueError if n is negative, OverflowError as encrypt does.
        """
        cdef object number = PyNumber_Index(n)
        cdef fc_position at
        cdef bytes result
        if number < 0:
            raise ValueError(f"n must not be negative, not {number}")
        left = self.limit() - self.tell()
        if number > left:
            exhausted(left, number)
        result = new_bytes(number)
        memset(bytes_of(result), 0, PyBytes_GET_SIZE(result))
        self.reserve(PyBytes_GET_SIZE(result), &at)
        self.work(at, bytes_of(result), bytes_of(result), PyBytes_GET_SIZE(result))
        check_kernel(NULL, 0)
        return result

    def seek(self, offset):
        """Go to an absolute byte offset, counted from block 0 (whatever counter was given).

        Any offset of the counter's range, its exact end included (2**38 bytes with a 12-byte
        nonce, 2**70 otherwise), in constant time. Raises ValueError beyond it.
        """
        cdef object number = PyNumber_Index(offset)
        cdef fc_position at
        if number < 0 or number > self.limit():
            raise ValueError(
                f"offset must be from 0 to 2**{70 if self.wide else 38} bytes, not {number}"
            )
        at.end = number == self.limit()
        at.block = 0 if at.end else number >> 6
        at.offset = number & 63
        self.enter()
        with self.lock:
            self.position = at
        self.leave()

    def tell(self):
        """Return the absolute byte offset of the next keystream byte, counted from block 0."""
        cdef fc_position at
        self.position_now(&at)
        return self.offset_of(&at)

    @staticmethod
    def generate_key():
        """Return a new random key: 32 bytes of os.urandom."""
        return random_key()


cdef class ChaCha20(_Stream):
    """ChaCha20(key, nonce, *, counter=0, rounds=20): the stream cipher of RFC 8439, section 2.4.

    key: 32 bytes. nonce: 12 bytes (RFC 8439: 32-bit block counter, 256 GiB for each nonce) or 8
    bytes (the original ChaCha: 64-bit block counter). counter: the first 64-byte block. rounds: 8,
    12 or 20. Raises ValueError for any other size or value, TypeError for anything not bytes-like.

    Never use the same key and nonce for two messages. The stream is not authenticated: whoever can
    change the ciphertext changes the plaintext bit by bit; use ChaCha20Poly1305 unless the protocol
    authenticates otherwise.

    One object may be used from many threads: no stretch of keystream is handed out twice. A forked
    child continues from the same position as its parent, so make a new object, with another nonce,
    in the child.
    """

    def __cinit__(self, key, nonce, *, counter=0, rounds=20):
        cdef Buffers b
        clear(&b)
        try:
            get_input(key, "key", &b.key)
            get_input(nonce, "nonce", &b.nonce)
            check_size("key", 32, b.key.n)
            if b.nonce.n != 12 and b.nonce.n != 8:
                refuse_nonce(b.nonce.n)
            self.rounds = check_rounds(rounds)
            self.wide = b.nonce.n == 8
            self.set_counter(counter)
            fc_chacha20_setup(self.state, b.key.p, b.nonce.p, b.nonce.n)
        finally:
            release(&b)


cdef int refuse_nonce(Py_ssize_t came) except -1:
    hint = ""
    if came == 16:
        hint = (
            ": for a nonce that begins with a 4-byte little-endian counter write "
            "ChaCha20(key, nonce[4:], counter=int.from_bytes(nonce[:4], 'little'))"
        )
    elif came == 24:
        hint = ": XChaCha20 takes 24 bytes"
    raise ValueError(f"nonce must be 12 or 8 bytes, not {came} bytes{hint}")


cdef class XChaCha20(_Stream):
    """XChaCha20(key, nonce, *, counter=0, rounds=20): ChaCha20 with a 24-byte nonce.

    draft-irtf-cfrg-xchacha-03: HChaCha over nonce bytes 0-15 gives the key, then ChaCha with nonce
    bytes 16-23 and a 64-bit block counter, as libsodium does. key: 32 bytes. rounds: 8, 12 or 20,
    for HChaCha too. Nonces may be random. Otherwise as ChaCha20.
    """

    def __cinit__(self, key, nonce, *, counter=0, rounds=20):
        cdef Buffers b
        clear(&b)
        try:
            get_input(key, "key", &b.key)
            get_input(nonce, "nonce", &b.nonce)
            check_size("key", 32, b.key.n)
            check_size("nonce", 24, b.nonce.n)
            self.rounds = check_rounds(rounds)
            self.wide = True
            self.set_counter(counter)
            fc_xchacha20_setup(K, self.state, b.key.p, b.nonce.p, self.rounds)
            check_kernel(NULL, 0)
        finally:
            release(&b)


def hchacha20(key, nonce16, *, rounds=20):
    """Return the 32-byte HChaCha subkey of a 32-byte key and a 16-byte nonce.

    draft-irtf-cfrg-xchacha-03, section 2.2. rounds: 8, 12 or 20. Raises ValueError for other sizes.
    """
    cdef Buffers b
    cdef uint32_t state[16]
    cdef uint32_t words[8]
    cdef unsigned r = check_rounds(rounds)
    cdef bytes result
    cdef int i
    clear(&b)
    try:
        get_input(key, "key", &b.key)
        get_input(nonce16, "nonce16", &b.nonce)
        check_size("key", 32, b.key.n)
        check_size("nonce16", 16, b.nonce.n)
        fc_chacha20_setup(state, b.key.p, b.nonce.p, 16)
    finally:
        release(&b)
    fc_run_hchacha20(K, words, state, r)
    result = new_bytes(32)
    for i in range(8):
        fc_store32le(bytes_of(result) + 4 * i, words[i])
    fc_wipe(state, sizeof(state))
    fc_wipe(words, sizeof(words))
    check_kernel(NULL, 0)
    return result


# ---- ChaCha20-Poly1305 --------------------------------------------------------------------------
cdef int refuse_long(size_t n) except -1:
    raise OverflowError(f"a message must be at most 2**38 - 64 bytes long, not {n} bytes")


cdef int refuse_short(Py_ssize_t n) except -1:
    raise InvalidTag(f"ciphertext and tag must be at least 16 bytes, not {n} bytes")


cdef int refuse_tag() except -1:
    raise InvalidTag("the tag does not belong to this key, nonce, data and associated data")


cdef int refuse_tag_size(Py_ssize_t n) except -1:
    raise InvalidTag(f"tag must be 16 bytes, not {n} bytes")


cdef inline int check_message(size_t n) except -1:
    if n > FC_AEAD_MAX:
        refuse_long(n)
    return 0


cdef class _AEAD(_Secret):
    """The one-shot calls of both AEADs; they differ in the nonce's size."""
    cdef uint8_t key[32]
    cdef Py_ssize_t nonce_len

    def __cinit__(self, key):
        cdef Buffers b
        if type(self) is _AEAD:
            raise TypeError("make a ChaCha20Poly1305 or an XChaCha20Poly1305")
        clear(&b)
        try:
            get_input(key, "key", &b.key)
            check_size("key", 32, b.key.n)
            memcpy(self.key, b.key.p, 32)
        finally:
            release(&b)

    def __dealloc__(self):
        fc_wipe(self.key, sizeof(self.key))

    cdef inline int get_message(self, Buffers *b, object nonce, object data,
                                object associated_data) except -1:
        get_input(nonce, "nonce", &b.nonce)
        check_size("nonce", self.nonce_len, b.nonce.n)
        get_input(data, "data", &b.data)
        return get_aad(associated_data, &b.aad)

    cdef inline void seal(self, const Buffers *b, uint8_t *out, uint8_t *tag) noexcept:
        """The C call: data, nonce and aad of *b to out (as long as data) and tag (16 bytes)."""
        if <size_t> b.data.n + <size_t> b.aad.n >= release_from:
            with nogil:
                fc_aead_encrypt(K, self.key, b.nonce.p, self.nonce_len, b.aad.p, b.aad.n,
                                b.data.p, out, b.data.n, tag)
        else:
            fc_aead_encrypt(K, self.key, b.nonce.p, self.nonce_len, b.aad.p, b.aad.n,
                            b.data.p, out, b.data.n, tag)

    cdef inline int unseal(self, const Buffers *b, uint8_t *out, size_t n,
                           const uint8_t *tag) noexcept:
        """The C call: n bytes of ciphertext, data of *b, to out. Not 0 if the tag is wrong."""
        if n + <size_t> b.aad.n >= release_from:
            with nogil:
                return fc_aead_decrypt(K, self.key, b.nonce.p, self.nonce_len, b.aad.p, b.aad.n,
                                       b.data.p, out, n, tag)
        return fc_aead_decrypt(K, self.key, b.nonce.p, self.nonce_len, b.aad.p, b.aad.n,
                               b.data.p, out, n, tag)

    def encrypt(self, nonce, data, associated_data=None):
        """Encrypt and authenticate data, authenticate associated_data; return ciphertext and tag.

        The result is 16 bytes longer than data. Never use a nonce twice with the same key. Raises
        ValueError for a nonce of the wrong size and OverflowError if data is longer than
        2**38 - 64 bytes.
        """
        cdef Buffers b
        cdef bytes result
        clear(&b)
        try:
            self.get_message(&b, nonce, data, associated_data)
            check_message(b.data.n)
            result = new_bytes(b.data.n + 16)
            self.seal(&b, bytes_of(result), bytes_of(result) + b.data.n)
            check_kernel(NULL, 0)
        finally:
            release(&b)
        return result

    def decrypt(self, nonce, data, associated_data=None):
        """Verify and decrypt what encrypt returned (ciphertext, then the 16-byte tag).

        Raises InvalidTag if anything was changed, or if data is shorter than 16 bytes; no
        unverified plaintext is ever returned.
        """
        cdef Buffers b
        cdef bytes result
        cdef int bad
        clear(&b)
        try:
            self.get_message(&b, nonce, data, associated_data)
            split_tag(&b)
            result = new_bytes(b.data.n)
            bad = self.unseal(&b, bytes_of(result), b.data.n, b.tag.p)
            check_kernel(NULL, 0)
        finally:
            release(&b)
        if bad:
            refuse_tag()
        return result

    def encrypt_into(self, nonce, data, associated_data, buf):
        """As encrypt, into buf, a writable buffer of exactly len(data) + 16 bytes; return its size.

        buf may start where data starts (in place). Raises ValueError if it has another size or
        overlaps data or associated_data otherwise; BufferError if it is read-only.
        """
        cdef Buffers b
        cdef uint8_t *out
        clear(&b)
        try:
            self.get_message(&b, nonce, data, associated_data)
            check_message(b.data.n)
            get_output(buf, "buf", &b.out)
            check_size("buf", b.data.n + 16, b.out.n)
            check_overlap(&b.data, b.data.n, &b.out, b.out.n)
            check_aad_overlap(&b)
            out = <uint8_t *> b.out.p
            self.seal(&b, out, out + b.data.n)
            check_kernel(out, b.out.n)
            return b.out.n
        finally:
            release(&b)

    def decrypt_into(self, nonce, data, associated_data, buf):
        """As decrypt, into buf, a writable buffer of exactly len(data) - 16 bytes; return its size.

        buf may start where data starts (in place). Its bytes are undefined until the call returns.
        On InvalidTag it holds no plaintext: zeros, or, in place, the ciphertext as it came.
        """
        cdef Buffers b
        cdef int bad
        clear(&b)
        try:
            self.get_message(&b, nonce, data, associated_data)
            split_tag(&b)
            get_output(buf, "buf", &b.out)
            check_size("buf", b.data.n, b.out.n)
            # The tag is read before anything is written, so it may lie under buf.
            check_overlap(&b.data, b.data.n, &b.out, b.out.n)
            check_aad_overlap(&b)
            bad = self.unseal(&b, <uint8_t *> b.out.p, b.data.n, b.tag.p)
            check_kernel(<uint8_t *> b.out.p, b.out.n)
            if bad:
                refuse_tag()
            return b.out.n
        finally:
            release(&b)

    def encrypt_detached(self, nonce, data, associated_data=None):
        """As encrypt, but return the pair (ciphertext, tag); the tag is 16 bytes."""
        cdef Buffers b
        cdef bytes result, tag
        clear(&b)
        try:
            self.get_message(&b, nonce, data, associated_data)
            check_message(b.data.n)
            result = new_bytes(b.data.n)
            tag = new_bytes(16)
            self.seal(&b, bytes_of(result), bytes_of(tag))
            check_kernel(NULL, 0)
        finally:
            release(&b)
        return result, tag

    def decrypt_detached(self, nonce, data, tag, associated_data=None):
        """As decrypt, with the tag given by itself. A tag that is not 16 bytes is InvalidTag."""
        cdef Buffers b
        cdef bytes result
        cdef int bad
        clear(&b)
        try:
            self.get_message(&b, nonce, data, associated_data)
            get_input(tag, "tag", &b.tag)
            if b.tag.n != 16:
                refuse_tag_size(b.tag.n)
            check_message(b.data.n)
            result = new_bytes(b.data.n)
            bad = self.unseal(&b, bytes_of(result), b.data.n, b.tag.p)
            check_kernel(NULL, 0)
        finally:
            release(&b)
        if bad:
            refuse_tag()
        return result

    def encryptor(self, nonce, associated_data=None):
        """Return an object that encrypts one message piece by piece: update(), then finalize()."""
        cdef _AEADEncryptor stream = _AEADEncryptor.__new__(_AEADEncryptor)
        stream.begin(self, nonce, associated_data)
        return stream

    def decryptor(self, nonce, associated_data=None):
        """What update() returns is unauthenticated until finalize(tag) has returned.

        Return an object that decrypts one message piece by piece: update(), then finalize(tag).
        """
        cdef _AEADDecryptor stream = _AEADDecryptor.__new__(_AEADDecryptor)
        stream.begin(self, nonce, associated_data)
        return stream

    @staticmethod
    def generate_key():
        """Return a new random key: 32 bytes of os.urandom."""
        return random_key()


cdef inline int split_tag(Buffers *b) except -1:
    """Parts data into the ciphertext and the 16-byte tag behind it."""
    if b.data.n < 16:
        refuse_short(b.data.n)
    b.data.n -= 16
    b.tag.p = b.data.p + b.data.n
    return check_message(b.data.n)


cdef inline int check_aad_overlap(const Buffers *b) except -1:
    if overlap(b.aad.p, b.aad.n, b.out.p, b.out.n):
        raise ValueError("associated_data and buf overlap: they must be disjoint")
    return 0


cdef class ChaCha20Poly1305(_AEAD):
    """ChaCha20Poly1305(key): authenticated encryption with associated data, RFC 8439, section 2.8.

    key: 32 bytes. Nonces are 12 bytes: never the same one twice with one key, so count them rather
    than draw them at random. Tags are 16 bytes. A message has at most 2**38 - 64 bytes. Objects do
    not change and may be used from many threads at once.
    """

    def __cinit__(self, key):
        self.nonce_len = 12


cdef class XChaCha20Poly1305(_AEAD):
    """XChaCha20Poly1305(key): ChaCha20Poly1305 with 24-byte nonces, which may be random.

    draft-irtf-cfrg-xchacha-03, section 2. key: 32 bytes. Otherwise as ChaCha20Poly1305.
    """

    def __cinit__(self, key):
        self.nonce_len = 24


cdef class _AEADStream(_Locked):
    """One message in pieces. The lock is held for the whole of each call."""
    cdef fc_aead aead
    cdef bytes aad  # taken by the kernel call that does the first piece
    cdef bint decrypting

    def __init__(self):
        raise TypeError(f"{type(self).__name__} is made by encryptor() or decryptor()")

    def __dealloc__(self):
        fc_aead_wipe(&self.aead)

    cdef int begin(self, _AEAD key, object nonce, object associated_data) except -1:
        cdef Buffers b
        clear(&b)
        try:
            get_input(nonce, "nonce", &b.nonce)
            check_size("nonce", key.nonce_len, b.nonce.n)
            get_aad(associated_data, &b.aad)
            self.aad = PyBytes_FromStringAndSize(<const char *> b.aad.p, b.aad.n)
            fc_aead_init(K, &self.aead, key.key, b.nonce.p, key.nonce_len)
            self.open = True
            return check_kernel(NULL, 0)
        finally:
            release(&b)

    cdef inline int check_length(self, size_t n) except -1:
        if n > FC_AEAD_MAX or self.aead.data_len > FC_AEAD_MAX - n:
            raise OverflowError(
                f"a message must be at most 2**38 - 64 bytes long: {self.aead.data_len} bytes "
                f"were given before, {n} more now"
            )
        return 0

    cdef int take(self, const uint8_t *src, uint8_t *out, size_t n) except -1:
        cdef const uint8_t *aad
        cdef size_t aad_len
        self.enter()
        try:
            with self.lock:
                self.check_open()
                self.check_length(n)
                aad = bytes_of(self.aad)
                aad_len = PyBytes_GET_SIZE(self.aad)
                if n + aad_len >= release_from:
                    with nogil:
                        fc_aead_update(K, &self.aead, aad, aad_len, src, out, n, self.decrypting)
                else:
                    fc_aead_update(K, &self.aead, aad, aad_len, src, out, n, self.decrypting)
                self.open = not kernel_failed()
        finally:
            self.leave()
        return 0

    cdef int end(self, uint8_t *tag) except -1:
        self.enter()
        try:
            with self.lock:
                self.check_open()
                self.open = False
                fc_aead_final(K, &self.aead, bytes_of(self.aad), PyBytes_GET_SIZE(self.aad), tag)
        finally:
            self.leave()
        return check_kernel(tag, 16)

    def update(self, data):
        """Return the result for the next piece of the message: as many bytes as data has.

        Raises OverflowError, with nothing done, if the message would pass 2**38 - 64 bytes;
        ValueError after finalize.
        """
        cdef Buffers b
        cdef bytes result
        clear(&b)
        try:
            get_input(data, "data", &b.data)
            self.check_length(b.data.n)  # before memory is asked for; again under the lock
            result = new_bytes(b.data.n)
            self.take(b.data.p, bytes_of(result), b.data.n)
            check_kernel(NULL, 0)
        finally:
            release(&b)
        return result

    def update_into(self, data, out):
        """As update, into out: a writable buffer of at least len(data) bytes; return len(data).

        out may be data itself. Raises ValueError if it is too short or overlaps data otherwise.
        """
        cdef Buffers b
        clear(&b)
        try:
            get_input(data, "data", &b.data)
            self.check_length(b.data.n)
            get_output(out, "out", &b.out)
            check_room(&b.data, &b.out)
            self.take(b.data.p, <uint8_t *> b.out.p, b.data.n)
            check_kernel(<uint8_t *> b.out.p, b.data.n)
            return b.data.n
        finally:
            release(&b)


@cython.final
cdef class _AEADEncryptor(_AEADStream):
    """Encrypts one message piece by piece; made by encryptor()."""

    def finalize(self):
        """Return the 16-byte tag of the whole message. Any further call raises ValueError."""
        cdef uint8_t tag[16]
        self.end(tag)
        return PyBytes_FromStringAndSize(<const char *> tag, 16)


@cython.final
cdef class _AEADDecryptor(_AEADStream):
    """What update() returns is unauthenticated until finalize(tag) has returned.

    Decrypts one message piece by piece; made by decryptor().
    """

    def __cinit__(self):
        self.decrypting = True

    def finalize(self, tag):
        """Verify the message: return None, or raise InvalidTag. Any further call raises ValueError.

        A tag that is not 16 bytes is InvalidTag, too.
        """
        cdef uint8_t want[16]
        self.end(want)
        compare_tag(want, tag)


# ---- Poly1305 -----------------------------------------------------------------------------------
cdef class Poly1305(_Locked):
    """Poly1305(key): one-time authenticator, RFC 8439, section 2.5.

    key: 32 bytes, for one message only. Tags are 16 bytes. update() with the message in any pieces,
    then finalize() or verify(); any further call raises ValueError.
    """
    cdef fc_mac mac

    def __cinit__(self, key):
        cdef Buffers b
        clear(&b)
        try:
            get_input(key, "key", &b.key)
            check_size("key", 32, b.key.n)
            fc_mac_init(&self.mac, b.key.p)
            self.open = True
        finally:
            release(&b)

    def __dealloc__(self):
        fc_mac_wipe(&self.mac)

    def update(self, data):
        """Authenticate the next piece of the message (bytes-like, any size)."""
        cdef Buffers b
        clear(&b)
        try:
            get_input(data, "data", &b.data)
            self.authenticate(&b.data)
            check_kernel(NULL, 0)
        finally:
            release(&b)

    cdef int authenticate(self, const Buffer *data) except -1:
        self.enter()
        try:
            with self.lock:
                self.check_open()
                mac_update(&self.mac, data)
                self.open = not kernel_failed()
        finally:
            self.leave()
        return 0

    cdef int end(self, uint8_t *tag) except -1:
        self.enter()
        try:
            with self.lock:
                self.check_open()
                self.open = False
                fc_mac_final(K, &self.mac, tag)
        finally:
            self.leave()
        return check_kernel(tag, 16)

    def finalize(self):
        """Return the 16-byte tag."""
        cdef uint8_t tag[16]
        self.end(tag)
        return PyBytes_FromStringAndSize(<const char *> tag, 16)

    def verify(self, tag):
        """Finalize and compare with tag in constant time: return None, or raise InvalidTag."""
        cdef uint8_t want[16]
        self.end(want)
        compare_tag(want, tag)

    @staticmethod
    def generate_tag(key, data):
        """Return the 16-byte tag of data under key (32 bytes, for this message only)."""
        cdef uint8_t tag[16]
        one_shot_tag(key, data, tag)
        return PyBytes_FromStringAndSize(<const char *> tag, 16)

    @staticmethod
    def verify_tag(key, data, tag):
        """Compare the tag of data under key with tag: return None, or raise InvalidTag."""
        cdef uint8_t want[16]
        one_shot_tag(key, data, want)
        compare_tag(want, tag)


cdef inline void mac_update(fc_mac *mac, const Buffer *data) noexcept:
    if <size_t> data.n >= release_from:
        with nogil:
            fc_mac_update(K, mac, data.p, data.n)
    else:
        fc_mac_update(K, mac, data.p, data.n)


cdef int compare_tag(uint8_t *want, object tag) except -1:
    """InvalidTag unless tag is want, compared in constant time. Wipes want."""
    cdef Buffers b
    clear(&b)
    try:
        get_input(tag, "tag", &b.tag)
        if b.tag.n != 16:
            refuse_tag_size(b.tag.n)
        if not fc_equal16(want, b.tag.p):
            refuse_tag()
    finally:
        release(&b)
        fc_wipe(want, 16)
    return 0


cdef int one_shot_tag(object key, object data, uint8_t *tag) except -1:
    cdef Buffers b
    cdef fc_mac mac
    clear(&b)
    try:
        get_input(key, "key", &b.key)
        check_size("key", 32, b.key.n)
        get_input(data, "data", &b.data)
        fc_mac_init(&mac, b.key.p)
        mac_update(&mac, &b.data)
        fc_mac_final(K, &mac, tag)
        return check_kernel(NULL, 0)
    finally:
        release(&b)


# ---- emulated kernels ---------------------------------------------------------------------------
# fastchacha.rvvemu's side of csrc/emulated.c, imported when an emulated backend is first used.
cdef object emulator = None
# What the emulator raised, by thread, until the C call that it was raised in has ended.
cdef dict raised = {}


cdef inline int check_kernel(uint8_t *out, size_t n) except -1:
    """After a C call: raises what an emulated kernel raised inside it, with out (n bytes) wiped."""
    if kernel.flags & FC_EMULATED and raised:
        raise_kernel_error(out, n)
    return 0


cdef inline bint kernel_failed() noexcept:
    """Has an emulated kernel raised in this thread's C call?"""
    return kernel.flags & FC_EMULATED and raised and failed_here()


cdef bint failed_here() noexcept:
    return PyThread_get_thread_ident() in raised


cdef int raise_kernel_error(uint8_t *out, size_t n) except -1:
    error = raised.pop(PyThread_get_thread_ident(), None)
    if error is not None:
        if n:
            memset(out, 0, n)
        raise error
    return 0


cdef object reading(const void *p, size_t n):
    return PyMemoryView_FromMemory(<char *> p, n, PyBUF_READ)


cdef object writing(void *p, size_t n):
    return PyMemoryView_FromMemory(<char *> p, n, PyBUF_WRITE)


cdef int emulate(str function, tuple arguments) except -1:
    """Calls the emulator unless this thread's C call has failed already; keeps what it raises.

    The memory behind the views is gone after the C call. So they are closed, and what was raised
    keeps no frame that may know others of the same memory.
    """
    if failed_here():
        return 0
    try:
        getattr(emulator, function)(*arguments)
    except BaseException as error:
        keep(error)
    for argument in arguments:
        if isinstance(argument, memoryview):
            argument.release()
    return 0


cdef int keep(object error) except -1:
    raised[PyThread_get_thread_ident()] = error
    while error is not None:
        error.__traceback__ = None
        error = error.__context__
    return 0


cdef void emulate_chacha20(const char *name, const uint32_t *state, uint8_t *block0,
                           const uint8_t *data, uint8_t *out, size_t n,
                           unsigned rounds) noexcept:
    try:
        target = writing(out, n)
        emulate("chacha20", (
            text(name), reading(state, 64), None if block0 == NULL else writing(block0, 64),
            target if data == out else reading(data, n), target, rounds,
        ))
    except BaseException as error:
        keep(error)


cdef void emulate_hchacha20(const char *name, uint32_t *out, const uint32_t *state,
                            unsigned rounds) noexcept:
    try:
        emulate("hchacha20", (text(name), writing(out, 32), reading(state, 64), rounds))
    except BaseException as error:
        keep(error)


cdef void emulate_poly1305(const char *name, fc_poly1305 *p, const uint8_t *data, size_t blocks,
                           uint32_t padbit) noexcept:
    try:
        emulate("poly1305_blocks", (
            text(name), writing(p, sizeof(fc_poly1305)), reading(data, blocks * 16), padbit,
        ))
    except BaseException as error:
        keep(error)


cdef int start_emulator() except -1:
    """Imports the emulator and lets it check its environment before anything depends on it."""
    global emulator
    if emulator is None:
        from .rvvemu import _backend
        try:
            _backend.prepare()
        except ValueError as error:
            raise ImportError(str(error)) from None
        fc_emulator.chacha20 = emulate_chacha20
        fc_emulator.hchacha20 = emulate_hchacha20
        fc_emulator.poly1305 = emulate_poly1305
        emulator = _backend
    return 0


# ---- which code runs ----------------------------------------------------------------------------
cdef class Backend:
    """One row of the table of backends.

    name: what FASTCHACHA_BACKEND takes. chacha20, poly1305: the kernels that it uses. features: the
    CPU features that it needs. available: can it run here? reason: why not, in words.
    """
    cdef readonly str name, chacha20, poly1305, reason
    cdef readonly frozenset features
    cdef readonly bint available

    def __init__(self):
        raise TypeError("Backend objects come from backends()")

    def __repr__(self):
        state = "available" if self.available else f"not available: {self.reason}"
        return f"<Backend {self.name}: {state}>"


cdef str text(const char *s):
    return s.decode("ascii")


cdef str ARCH = text(fc_arch)
cdef uint64_t detected = 0  # what the CPU has, less FASTCHACHA_DISABLE, plus FASTCHACHA_ENABLE
cdef tuple table = ()       # this build's Backend objects
cdef Backend current = None


cdef frozenset feature_names(uint64_t mask):
    return frozenset([
        text(fc_features[i].name)
        for i in range(fc_feature_count)
        if fc_features[i].bit >= 0 and mask >> fc_features[i].bit & 1
    ])


cdef list listed(str variable):
    """The comma-separated feature names of an environment variable; all of them known."""
    names = [name for name in map(str.strip, os.environ.get(variable, "").split(",")) if name]
    known = {text(fc_features[i].name) for i in range(fc_feature_count)}
    for name in names:
        if name not in known:
            raise ImportError(
                f"{variable}: {name!r} is not a CPU feature; known: {', '.join(sorted(known))}"
            )
    return names


cdef int feature_bit(str name):
    """The feature's bit on this architecture, or -1."""
    cdef size_t i
    for i in range(fc_feature_count):
        if fc_features[i].bit >= 0 and text(fc_features[i].name) == name:
            return fc_features[i].bit
    return -1


cdef uint64_t enable(uint64_t mask, list names) except? 0:
    """FASTCHACHA_ENABLE: each feature is tried in a child process first."""
    cdef int bit, status
    for name in names:
        bit = feature_bit(name)
        if bit < 0:
            raise ImportError(
                f"FASTCHACHA_ENABLE: {name!r} is no feature of {ARCH}, which this build is for"
            )
        if mask >> bit & 1:
            continue
        status = fc_cpu_trial_in_child(bit)
        if status < 0:
            raise ImportError(
                f"FASTCHACHA_ENABLE: {name!r} cannot be tried here (this needs fork and a build "
                "with assembly)"
            )
        if status > 0:
            raise ImportError(
                f"FASTCHACHA_ENABLE: the CPU lacks {name}: an instruction of it was tried in a "
                "child process and trapped"
            )
        mask |= <uint64_t> 1 << bit
    return mask


cdef str why_not(const fc_backend *b, uint64_t features, set disabled):
    """Why row b cannot run on a CPU with these features; "" if it can."""
    if not b.here:
        return f"built for {ARCH}"
    if not b.assembled:
        return "this build has no assembly: the compiler could not take .S files"
    missing = feature_names(b.features & ~features)
    hidden = sorted(missing & disabled)
    if hidden:
        return f"{', '.join(hidden)} disabled by FASTCHACHA_DISABLE"
    if missing:
        return f"the CPU lacks {', '.join(sorted(missing))}"
    return ""


cdef Backend make_backend(const fc_backend *b, str reason):
    cdef Backend backend = Backend.__new__(Backend)
    backend.name = text(b.name)
    backend.chacha20 = text(b.slot[0].kernel)
    backend.poly1305 = text(b.slot[2].kernel)
    backend.features = feature_names(b.features)
    backend.reason = reason
    backend.available = not reason
    return backend


cdef set disabled = set()  # what FASTCHACHA_DISABLE names


cdef int detect() except -1:
    """Fills in detected and table from the CPU and the environment."""
    global detected, table, disabled
    cdef size_t i
    cdef int bit
    cdef uint64_t features = fc_cpu_detect()

    disabled = set(listed("FASTCHACHA_DISABLE"))
    enabled = listed("FASTCHACHA_ENABLE")
    for name in enabled:
        if name in disabled:
            raise ImportError(
                f"{name!r} stands in both FASTCHACHA_ENABLE and FASTCHACHA_DISABLE"
            )
    features = enable(features, enabled)
    for name in disabled:
        bit = feature_bit(name)
        if bit >= 0:
            features &= ~(<uint64_t> 1 << bit)
    detected = features
    table = tuple([
        make_backend(&fc_backends[i], why_not(&fc_backends[i], features, disabled))
        for i in range(fc_backend_count)
        if fc_backends[i].here
    ])
    return 0


cdef str why_not_named(str name):
    """Why no row of this name can run here; "" if one can."""
    cdef size_t i
    elsewhere = []
    for i in range(fc_backend_count):
        if text(fc_backends[i].name) != name:
            continue
        if fc_backends[i].here:
            return why_not(&fc_backends[i], detected, disabled)
        elsewhere.append(text(fc_backends[i].arch))
    if elsewhere:
        return f"a backend of {' and '.join(elsewhere)}, and this build is for {ARCH}"
    return "no backend has this name"


def _use(name):
    """Use the backend of this name ("auto" or "": the best one). ImportError if it cannot run.

    Called once at import with FASTCHACHA_BACKEND. For tests and benchmarks also later, while no
    other thread is inside the module.
    """
    global current, release_from
    cdef size_t i
    cdef Backend row
    automatic = name in ("", "auto")
    for i in range(fc_backend_count):
        if not fc_backend_available(&fc_backends[i], detected):
            continue
        if automatic and fc_backends[i].flags & FC_EMULATED:
            continue
        if automatic or text(fc_backends[i].name) == name:
            break
    else:
        works = ", ".join([row.name for row in table if row.available])
        raise ImportError(
            f"FASTCHACHA_BACKEND={name!r}: {why_not_named(name)}; these work here: {works}, or auto"
        )
    if fc_backends[i].flags & FC_EMULATED:
        start_emulator()
    for row in table:
        if row.name == text(fc_backends[i].name):
            current = row
    fc_resolve(&kernel, &fc_backends[i], detected)
    release_from = RELEASE_FROM
    if kernel.flags & FC_EMULATED:
        release_from = <size_t> -1
        import warnings  # a third of a millisecond that other imports need not pay
        warnings.warn(
            f"fastchacha runs on the emulated backend {current.name!r}: for tests only, slow and "
            "not constant-time",
            RuntimeWarning,
            stacklevel=2,
        )


def backend():
    """Return the name of the backend in use, for example "zvkb"."""
    return current.name


def backends():
    """Return this build's backends as a tuple of Backend objects, best first."""
    return table


def cpu_features():
    """Return the CPU features found, as a frozenset of names.

    Without those that FASTCHACHA_DISABLE hides, with those that FASTCHACHA_ENABLE adds.
    """
    return feature_names(detected)


def _count_calls(on):
    """For tests: clear the counters of kernel calls and switch counting on or off."""
    global fc_counting
    cdef size_t i
    for i in range(fc_backend_count):
        memset(fc_calls[i], 0, sizeof(fc_calls[i]))
    fc_counting = bool(on)


def _calls():
    """For tests: {(row, slot): calls} since _count_calls(True), without zeros."""
    slots = ("chacha20", "hchacha20", "poly1305", "aead")
    return {
        (text(fc_backends[i].name), slots[j]): fc_calls[i][j]
        for i in range(fc_backend_count)
        for j in range(FC_SLOTS)
        if fc_calls[i][j]
    }


def _rows():
    """For tests and tools: the whole table, every architecture's rows, as dictionaries."""
    slots = ("chacha20", "hchacha20", "poly1305", "aead")
    return [
        {
            "name": text(fc_backends[i].name),
            "arch": text(fc_backends[i].arch),
            "here": bool(fc_backends[i].here),
            "features": sorted(feature_names(fc_backends[i].features)),
            "scalar": bool(fc_backends[i].flags & FC_SCALAR),
            "emulated": bool(fc_backends[i].flags & FC_EMULATED),
            "note": text(fc_backends[i].note),
            "kernels": {slots[j]: text(fc_backends[i].slot[j].kernel) for j in range(FC_SLOTS)},
            "min": {slots[j]: fc_backends[i].slot[j].min for j in range(FC_SLOTS)},
        }
        for i in range(fc_backend_count)
    ]


def _repeat_empty(_AEAD aead, nonce, size_t times):
    """For bench/overhead.py: the C call of an empty message, so many times without Python."""
    cdef Buffers b
    cdef uint8_t tag[16]
    clear(&b)
    try:
        aead.get_message(&b, nonce, b"", None)
        for _ in range(times):
            fc_aead_encrypt(K, aead.key, b.nonce.p, aead.nonce_len, b.aad.p, b.aad.n, b.data.p,
                            tag, 0, tag)
    finally:
        release(&b)


def _release_from(size_t size):
    """For bench/overhead.py: release the GIL from this many bytes on, until the next _use."""
    global release_from
    release_from = size


detect()
_use(os.environ.get("FASTCHACHA_BACKEND", ""))
