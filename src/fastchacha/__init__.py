"""ChaCha20, Poly1305 and ChaCha20-Poly1305 at the speed of the machine."""

from ._core import (
    Backend,
    ChaCha20,
    ChaCha20Poly1305,
    InvalidTag,
    Poly1305,
    XChaCha20,
    XChaCha20Poly1305,
    __version__,
    backend,
    backends,
    cpu_features,
    hchacha20,
)

__all__ = [
    "Backend",
    "ChaCha20",
    "ChaCha20Poly1305",
    "InvalidTag",
    "Poly1305",
    "XChaCha20",
    "XChaCha20Poly1305",
    "__version__",
    "backend",
    "backends",
    "cpu_features",
    "hchacha20",
]
