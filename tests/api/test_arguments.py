"""What bad input gets, and which objects are good input: every argument of every call."""

import array
import collections
import contextlib
import ctypes
import mmap
import re
import sys

import pytest
from support import AEADS, KEY, NONCE8, NONCE12, NONCE16, NONCE24, STREAMS

from fastchacha import (
    ChaCha20,
    ChaCha20Poly1305,
    InvalidTag,
    Poly1305,
    XChaCha20,
    XChaCha20Poly1305,
    hchacha20,
)

SEALED = ChaCha20Poly1305(KEY).encrypt(NONCE12, bytes(32))
XSEALED = XChaCha20Poly1305(KEY).encrypt(NONCE24, bytes(32))
TAG = Poly1305.generate_tag(KEY, bytes(32))

Call = collections.namedtuple("Call", "function inputs output sizes")


def aead_calls(cls, nonce, sealed):
    """(name, Call) for an AEAD: inputs by name, the output's name, the sizes that are fixed."""
    name, n = cls.__name__, len(nonce)
    sizes = {"nonce": n}
    plain = {"nonce": nonce, "data": bytes(32), "associated_data": b"aad"}
    cipher = {"nonce": nonce, "data": sealed, "associated_data": None}
    apart = {"nonce": nonce, "data": sealed[:-16], "tag": sealed[-16:], "associated_data": None}

    def method(name):
        return lambda **arguments: getattr(cls(KEY), name)(**arguments)

    def stream(maker, name, first=()):
        def call(**arguments):
            s = getattr(cls(KEY), maker)(nonce)
            for piece in first:
                s.update(piece)
            return getattr(s, name)(**arguments)

        return call

    into = {"data": bytes(32), "out": bytearray(32)}
    yield f"{name}", Call(cls, {"key": KEY}, None, {"key": 32})
    yield f"{name}.encrypt", Call(method("encrypt"), plain, None, sizes)
    yield f"{name}.decrypt", Call(method("decrypt"), cipher, None, sizes)
    yield (
        f"{name}.encrypt_into",
        Call(method("encrypt_into"), {**plain, "buf": bytearray(48)}, "buf", sizes),
    )
    yield (
        f"{name}.decrypt_into",
        Call(method("decrypt_into"), {**cipher, "buf": bytearray(32)}, "buf", sizes),
    )
    yield f"{name}.encrypt_detached", Call(method("encrypt_detached"), plain, None, sizes)
    yield f"{name}.decrypt_detached", Call(method("decrypt_detached"), apart, None, sizes)
    begin = {"nonce": nonce, "associated_data": b"aad"}
    yield f"{name}.encryptor", Call(method("encryptor"), begin, None, sizes)
    yield f"{name}.decryptor", Call(method("decryptor"), begin, None, sizes)
    for maker in ("encryptor", "decryptor"):
        yield (
            f"{name}.{maker}.update",
            Call(stream(maker, "update"), {"data": bytes(32)}, None, {}),
        )
        yield f"{name}.{maker}.update_into", Call(stream(maker, "update_into"), into, "out", {})
    yield (
        f"{name}.decryptor.finalize",
        Call(stream("decryptor", "finalize", [sealed[:-16]]), {"tag": sealed[-16:]}, None, {}),
    )


def stream_calls(cls, nonce):
    name = cls.__name__
    for method in ("encrypt", "decrypt"):

        def whole(method=method, **arguments):
            return getattr(cls(KEY, nonce), method)(**arguments)

        def into(method=method + "_into", **arguments):
            return getattr(cls(KEY, nonce), method)(**arguments)

        yield f"{name}.{method}", Call(whole, {"data": bytes(32)}, None, {})
        yield (
            f"{name}.{method}_into",
            Call(into, {"data": bytes(32), "out": bytearray(32)}, "out", {}),
        )


CALLS = {
    "ChaCha20": Call(ChaCha20, {"key": KEY, "nonce": NONCE12}, None, {"key": 32, "nonce": 12}),
    "ChaCha20-8": Call(ChaCha20, {"key": KEY, "nonce": NONCE8}, None, {"key": 32, "nonce": 8}),
    "XChaCha20": Call(XChaCha20, {"key": KEY, "nonce": NONCE24}, None, {"key": 32, "nonce": 24}),
    "hchacha20": Call(
        hchacha20, {"key": KEY, "nonce16": NONCE16}, None, {"key": 32, "nonce16": 16}
    ),
    **dict(stream_calls(ChaCha20, NONCE12)),
    **dict(stream_calls(XChaCha20, NONCE24)),
    **dict(aead_calls(ChaCha20Poly1305, NONCE12, SEALED)),
    **dict(aead_calls(XChaCha20Poly1305, NONCE24, XSEALED)),
    "Poly1305": Call(Poly1305, {"key": KEY}, None, {"key": 32}),
    "Poly1305.update": Call(
        lambda **arguments: Poly1305(KEY).update(**arguments), {"data": bytes(32)}, None, {}
    ),
    "Poly1305.verify": Call(
        lambda **arguments: Poly1305(KEY).verify(**arguments),
        {"tag": Poly1305.generate_tag(KEY, b"")},
        None,
        {},
    ),
    "Poly1305.generate_tag": Call(
        Poly1305.generate_tag, {"key": KEY, "data": bytes(32)}, None, {"key": 32}
    ),
    "Poly1305.verify_tag": Call(
        Poly1305.verify_tag, {"key": KEY, "data": bytes(32), "tag": TAG}, None, {"key": 32}
    ),
}
ARGUMENTS = [
    pytest.param(call, argument, id=f"{name}-{argument}")
    for name, call in CALLS.items()
    for argument in call.inputs
]
INPUTS = [p for p in ARGUMENTS if p.values[1] != p.values[0].output]
OUTPUTS = [p for p in ARGUMENTS if p.values[1] == p.values[0].output]


def run(call, **changed):
    """The call with fresh outputs; returns (result, what stands in the output)."""
    arguments = {**call.inputs}
    if call.output:
        arguments[call.output] = bytearray(len(call.inputs[call.output]))
    arguments.update(changed)
    result = call.function(**arguments)
    if hasattr(result, "finalize") or hasattr(result, "encrypt"):
        result = None  # an object: that it was made is enough
    return result, bytes(arguments[call.output]) if call.output else None


# ---- names and positions ------------------------------------------------------------------------
@pytest.mark.parametrize("cls, nonce", AEADS)
def test_positions_of_the_aead(cls, nonce):
    """The order that `cryptography` has."""
    aead = cls(KEY)
    sealed = aead.encrypt(nonce, b"data", b"aad")
    assert sealed == aead.encrypt(nonce=nonce, data=b"data", associated_data=b"aad")
    assert aead.decrypt(nonce, sealed, b"aad") == b"data"
    assert aead.encrypt_into(nonce, b"data", b"aad", bytearray(20)) == 20
    assert aead.decrypt_into(nonce, sealed, b"aad", bytearray(4)) == 4
    assert aead.encrypt_detached(nonce, b"data", b"aad") == (sealed[:4], sealed[4:])
    assert aead.decrypt_detached(nonce, sealed[:4], sealed[4:], b"aad") == b"data"
    assert aead.encryptor(nonce, b"aad").update(b"data") == sealed[:4]
    decryptor = aead.decryptor(nonce, b"aad")
    assert decryptor.update(sealed[:4]) == b"data"
    decryptor.finalize(sealed[4:])
    with pytest.raises(TypeError):
        aead.encrypt_into(nonce, b"data")  # associated_data and buf have no default here
    with pytest.raises(TypeError):
        aead.encrypt(nonce)
    with pytest.raises(TypeError):
        aead.encrypt(nonce, b"", b"", b"")
    with pytest.raises(TypeError):
        aead.encrypt(nonce, b"", aad=b"")


def test_positions_of_the_others():
    assert ChaCha20(KEY, NONCE12).encrypt(b"abc") == ChaCha20(nonce=NONCE12, key=KEY).encrypt(
        b"abc"
    )
    out = bytearray(3)
    ChaCha20(KEY, NONCE12).encrypt_into(b"abc", out)
    assert out == ChaCha20(KEY, NONCE12).encrypt(b"abc")
    assert hchacha20(KEY, NONCE16) == hchacha20(key=KEY, nonce16=NONCE16)
    tag = Poly1305.generate_tag(KEY, b"abc")
    assert tag == Poly1305.generate_tag(key=KEY, data=b"abc")
    Poly1305.verify_tag(KEY, b"abc", tag)
    stream = ChaCha20(KEY, NONCE12)
    assert stream.keystream(n=5) == ChaCha20(KEY, NONCE12).keystream(5)
    stream.seek(offset=3)
    assert stream.tell() == 3


@pytest.mark.parametrize("cls, nonce", STREAMS)
def test_counter_and_rounds_by_keyword_only(cls, nonce):
    with pytest.raises(TypeError):
        cls(KEY, nonce, 0)
    with pytest.raises(TypeError):
        cls(KEY, nonce, 0, 20)
    with pytest.raises(TypeError):
        hchacha20(KEY, NONCE16, 20)
    with pytest.raises(TypeError):
        cls(KEY)
    with pytest.raises(TypeError):
        cls(KEY, nonce, initial=0)


# ---- wrong types --------------------------------------------------------------------------------
@pytest.mark.parametrize("call, argument", ARGUMENTS)
def test_not_bytes_like_is_type_error(call, argument):
    for wrong in ("a str", "", 5, 3.0, [1, 2], (), {}, object()):
        with pytest.raises(TypeError, match=rf"{argument}.*{type(wrong).__name__}"):
            run(call, **{argument: wrong})


@pytest.mark.parametrize("call, argument", ARGUMENTS)
def test_none(call, argument):
    if argument == "associated_data":
        assert run(call, associated_data=None) == run(call, associated_data=b"")
    else:
        with pytest.raises(TypeError, match=f"{argument}.*None"):
            run(call, **{argument: None})


# ---- wrong sizes --------------------------------------------------------------------------------
SIZED = [
    pytest.param(call, argument, size, id=f"{name}-{argument}")
    for name, call in CALLS.items()
    for argument, size in call.sizes.items()
]


@pytest.mark.parametrize("call, argument, size", SIZED)
def test_wrong_size_is_value_error(call, argument, size):
    """The message names the argument, how many bytes came and how many belong."""
    for came in [*range(0, 70), 96, 128, 255, 256, 4096, 65536 + size]:
        if came == size or (call.function is ChaCha20 and argument == "nonce" and came in (8, 12)):
            continue
        with pytest.raises(ValueError) as caught:
            run(call, **{argument: bytes(came)})
        assert not isinstance(caught.value, InvalidTag)
        message = str(caught.value)
        assert argument in message
        assert re.search(rf"\b{size}\b", message), message
        assert re.search(rf"\b{came}\b", message), message


def test_the_16_byte_nonce_gets_advice():
    with pytest.raises(ValueError, match="16") as caught:
        ChaCha20(KEY, NONCE16)
    message = str(caught.value)
    # The two-argument form, ready to paste: it works.
    code = re.search(r"ChaCha20\(.*\)", message).group()
    stream = eval(code, {"ChaCha20": ChaCha20, "key": KEY, "nonce": NONCE16, "int": int})
    assert stream.tell() == 64 * int.from_bytes(NONCE16[:4], "little")
    assert stream.keystream(10) == ChaCha20(
        KEY, NONCE16[4:], counter=int.from_bytes(NONCE16[:4], "little")
    ).keystream(10)


def test_the_24_byte_nonce_gets_advice():
    with pytest.raises(ValueError, match="XChaCha20"):
        ChaCha20(KEY, NONCE24)


# ---- good buffers -------------------------------------------------------------------------------
class Subclass(bytes):
    pass


def as_mmap(value):
    if not value:
        return b""  # an empty mmap does not exist
    m = mmap.mmap(-1, len(value))
    m[:] = bytes(value)
    return m


KINDS = {
    "bytes": bytes,
    "bytes-subclass": Subclass,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "memoryview-slice": lambda v: memoryview(b"x" + bytes(v) + b"y")[1:-1],
    "memoryview-readonly": lambda v: memoryview(bytearray(v)).toreadonly(),
    "memoryview-cast": lambda v: memoryview(bytes(v)).cast("b") if v else b"",
    "memoryview-2d": lambda v: (
        memoryview(bytes(v)).cast("B", (2, len(v) // 2)) if v and len(v) % 2 == 0 else bytes(v)
    ),
    "array": lambda v: array.array("B", bytes(v)),
    "array-of-shorts": lambda v: (
        array.array("H", bytes(v)) if len(v) % 2 == 0 else array.array("b", bytes(v))
    ),
    "ctypes": lambda v: (ctypes.c_char * len(v)).from_buffer_copy(bytes(v)) if v else b"",
    "mmap": as_mmap,
}


@pytest.mark.parametrize("call, argument", INPUTS)
def test_kinds_of_input(call, argument):
    value = call.inputs[argument] or b""
    expected = run(call, **{argument: value})
    for name, kind in KINDS.items():
        assert run(call, **{argument: kind(value)}) == expected, name


WRITABLE = ["bytearray", "array", "array-of-shorts", "ctypes", "mmap"]


@pytest.mark.parametrize("kind", WRITABLE)
@pytest.mark.parametrize("call, argument", OUTPUTS)
def test_kinds_of_output(call, argument, kind):
    expected = run(call)
    for wrap in (lambda v: v, memoryview):
        out = KINDS[kind](bytes(call.inputs[argument]))
        result = call.function(**{**call.inputs, argument: wrap(out)})
        assert (result, bytes(memoryview(out))) == expected


READ_ONLY = {
    "bytes": bytes,
    "memoryview-of-bytes": lambda v: memoryview(bytes(v)),
    "memoryview-readonly": lambda v: memoryview(bytearray(v)).toreadonly(),
    "mmap": lambda v: mmap.mmap(-1, len(v), access=mmap.ACCESS_READ),
}


@pytest.mark.parametrize("kind", READ_ONLY.values(), ids=READ_ONLY)
@pytest.mark.parametrize("call, argument", OUTPUTS)
def test_read_only_output_is_buffer_error(call, argument, kind):
    out = kind(call.inputs[argument])
    before = bytes(memoryview(out))
    with pytest.raises(BufferError, match=argument):
        call.function(**{**call.inputs, argument: out})
    assert bytes(memoryview(out)) == before


NON_CONTIGUOUS = {
    "every-second": lambda n: memoryview(bytearray(2 * n))[::2],
    "backwards": lambda n: memoryview(bytearray(n))[::-1],
}


@pytest.mark.parametrize("kind", NON_CONTIGUOUS.values(), ids=NON_CONTIGUOUS)
@pytest.mark.parametrize("call, argument", ARGUMENTS)
def test_non_contiguous_is_buffer_error(call, argument, kind):
    value = kind(len(call.inputs[argument] or bytes(5)))
    with pytest.raises(BufferError, match=argument):
        run(call, **{argument: value})


@pytest.mark.parametrize("call, argument", ARGUMENTS)
def test_released_memoryview_is_value_error(call, argument):
    view = memoryview(bytearray(call.inputs[argument] or b"abc"))
    view.release()
    with pytest.raises(ValueError, match="released") as caught:
        run(call, **{argument: view})
    assert not isinstance(caught.value, InvalidTag)


@pytest.mark.parametrize("call, argument", ARGUMENTS)
def test_closed_mmap_is_value_error(call, argument):
    m = as_mmap(call.inputs[argument] or b"abc")
    m.close()
    with pytest.raises(ValueError) as caught:
        run(call, **{argument: m})
    assert not isinstance(caught.value, InvalidTag)


@pytest.mark.parametrize("call, argument", ARGUMENTS)
def test_buffers_are_let_go(call, argument):
    """After the call, failed or not, a bytearray can be resized."""
    value = bytearray(call.inputs[argument] or b"abc")
    try:
        run(call, **{argument: value})
    except InvalidTag:
        assert argument == "associated_data"
    value.append(1)
    for other, wrong in [(o, w) for o in call.inputs for w in ("text", bytes(3))]:
        if other == argument:
            continue
        value = bytearray(call.inputs[argument] or b"abc")
        with contextlib.suppress(TypeError, ValueError, BufferError):
            run(call, **{argument: value, other: wrong})
        value.append(1)


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="counts references")
@pytest.mark.parametrize("call, argument", ARGUMENTS)
def test_references_are_let_go(call, argument):
    value = memoryview(bytearray(call.inputs[argument] or b"abc"))
    before = sys.getrefcount(value)
    for _ in range(10):
        for wrong in ({}, *({other: "text"} for other in call.inputs if other != argument)):
            with contextlib.suppress(TypeError, ValueError):
                run(call, **{argument: value, **wrong})
    assert sys.getrefcount(value) == before


# ---- a buffer that runs Python code -------------------------------------------------------------
@pytest.mark.skipif(sys.version_info < (3, 12), reason="__buffer__ came with Python 3.12 (PEP 688)")
@pytest.mark.parametrize("call, argument", ARGUMENTS)
def test_code_that_runs_while_buffers_are_taken(call, argument):
    """An argument's __buffer__ tries to resize, and to release, the other arguments."""
    others = {}

    class Evil:
        def __init__(self, value):
            self.value = bytearray(value)
            self.refused = 0

        def __buffer__(self, flags):
            for other in others.values():
                try:
                    other.extend(bytes(1 << 16))
                    del other[-(1 << 16) :]
                except BufferError:
                    self.refused += 1  # it is held already
            return memoryview(self.value)

    for name, value in call.inputs.items():
        if name != argument and value is not None:
            others[name] = bytearray(value)
    value = call.inputs[argument]
    evil = Evil(b"" if value is None else value)
    expected = run(call, **({argument: b""} if value is None else {}))
    arguments = {**call.inputs, **others, argument: evil}
    result = call.function(**arguments)
    if hasattr(result, "finalize") or hasattr(result, "encrypt"):
        result = None
    out = arguments[call.output] if call.output else None
    if call.output == argument:
        out = evil.value
    assert (result, bytes(out) if call.output else None) == expected


# ---- NumPy --------------------------------------------------------------------------------------
@pytest.mark.needs("numpy")
class TestNumPy:
    @pytest.mark.parametrize("call, argument", INPUTS)
    def test_input_of_any_item_size(self, call, argument):
        import numpy

        value = call.inputs[argument] or b""
        expected = run(call, **{argument: value})
        for dtype in ("u1", "i2", "<u4", ">u4", "f8", "c16", "S4", "?"):
            if len(value) % numpy.dtype(dtype).itemsize == 0:
                array = numpy.frombuffer(value, dtype=dtype)
                assert run(call, **{argument: array}) == expected
                if len(array) % 2 == 0:
                    assert run(call, **{argument: array.reshape(2, -1)}) == expected

    @pytest.mark.parametrize("dtype", ["u1", "f8"])
    @pytest.mark.parametrize("call, argument", OUTPUTS)
    def test_output(self, call, argument, dtype):
        import numpy

        array = numpy.frombuffer(bytearray(len(call.inputs[argument])), dtype=dtype)
        result = call.function(**{**call.inputs, argument: array})
        assert (result, array.tobytes()) == run(call)
        array.flags.writeable = False
        with pytest.raises(BufferError, match=argument):
            call.function(**{**call.inputs, argument: array})

    @pytest.mark.parametrize("call, argument", ARGUMENTS)
    def test_non_contiguous_is_buffer_error(self, call, argument):
        import numpy

        n = len(call.inputs[argument] or bytes(6))
        wrong = [numpy.zeros(2 * n, "u1")[::2], numpy.zeros(n, "u1")[::-1]]
        if n % 2 == 0:
            wrong += [numpy.zeros((2, n // 2), "u1", order="F"), numpy.zeros((n // 2, 2), "u1").T]
        for value in wrong:
            with pytest.raises(BufferError, match=argument):
                run(call, **{argument: value})


def test_objects_are_made_by_their_makers_only():
    for maker in ("encryptor", "decryptor"):
        cls = type(getattr(ChaCha20Poly1305(KEY), maker)(NONCE12))
        with pytest.raises(TypeError):
            cls()


@pytest.mark.needs("numpy")
def test_arrays_of_objects_are_refused():
    """Their bytes are pointers: no data, and overwritten they would crash the interpreter."""
    import numpy

    objects = numpy.array([object()] * 4, dtype=object)
    before = list(objects)
    for call in (
        lambda: ChaCha20(KEY, NONCE12).encrypt_into(bytes(32), objects),
        lambda: ChaCha20(KEY, NONCE12).encrypt(objects),
        lambda: Poly1305.generate_tag(KEY, numpy.zeros(3, dtype=[("a", "i4"), ("b", "O")])),
    ):
        with pytest.raises(TypeError, match="Python objects"):
            call()
    assert list(objects) == before
    # The name of a field is no format.
    named = numpy.zeros(3, dtype=[("Other", "i4")])
    assert Poly1305.generate_tag(KEY, named) == Poly1305.generate_tag(KEY, bytes(12))


@pytest.mark.parametrize("cls", [ChaCha20, ChaCha20Poly1305])
def test_private_base_classes_cannot_be_made(cls):
    with pytest.raises(TypeError, match="make a"):
        cls.__base__(KEY)
