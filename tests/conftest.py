"""What every test of the project shares: options, missing packages, the hypothesis profile.

    pytest tests/api                 the default run: seconds, the same examples every time
    pytest tests/api --thorough      more examples; needs 6 GB of memory for the 5 GiB messages

A package that the tests need and that is not there is an error, unless the environment variable
FASTCHACHA_TEST_WITHOUT names it (of cryptography, cryptography_vectors, mypy, numpy; with commas):
then its tests are left out and the header of the report says so.
"""

import importlib.util
import os
import platform
import sys
from pathlib import Path

import pytest

# Helpers of the tests: model, support.
sys.path.insert(0, str(Path(__file__).parent / "api"))

OPTIONAL = ("cryptography", "cryptography_vectors", "mypy", "numpy")
REQUIRED = ("fastchacha", "hypothesis")


def without():
    """The optional packages that the environment says are not there."""
    names = os.environ.get("FASTCHACHA_TEST_WITHOUT", "").split(",")
    return {name.strip() for name in names if name.strip()}


def pytest_addoption(parser):
    parser.addoption(
        "--thorough",
        action="store_true",
        help="more examples, larger sizes, messages of 5 GiB (needs 6 GB of memory)",
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "needs(package): left out if FASTCHACHA_TEST_WITHOUT names it"
    )
    config.addinivalue_line("markers", "thorough: only with --thorough")
    unknown = without() - set(OPTIONAL)
    if unknown:
        raise pytest.UsageError(
            f"FASTCHACHA_TEST_WITHOUT: {', '.join(sorted(unknown))}: "
            f"not one of {', '.join(OPTIONAL)}"
        )
    for name in (*REQUIRED, *OPTIONAL):
        if name not in without() and importlib.util.find_spec(name) is None:
            hint = f" or name it in FASTCHACHA_TEST_WITHOUT={name}" if name in OPTIONAL else ""
            raise pytest.UsageError(f"the tests need the package {name}: install it{hint}")

    from hypothesis import HealthCheck, settings

    common = {
        "deadline": None,  # no test depends on time
        "database": None,
        "suppress_health_check": list(HealthCheck),
    }
    settings.register_profile("ci", max_examples=60, derandomize=True, **common)
    settings.register_profile("thorough", max_examples=3000, **common)
    settings.load_profile("thorough" if config.getoption("--thorough") else "ci")


def pytest_report_header(config):
    import fastchacha

    lines = [
        f"fastchacha {fastchacha.__version__}: backend {fastchacha.backend()} of "
        f"{', '.join(b.name for b in fastchacha.backends() if b.available)}; "
        f"CPU features {', '.join(sorted(fastchacha.cpu_features())) or 'none'}; "
        f"{platform.machine()}, {sys.byteorder}-endian; "
        f"{'thorough' if config.getoption('--thorough') else 'default'} run"
    ]
    if without():
        lines.append(f"LEFT OUT, by FASTCHACHA_TEST_WITHOUT: {', '.join(sorted(without()))}")
    return lines


def pytest_ignore_collect(collection_path):
    """Files that cannot even be imported without `cryptography`."""
    needing = (
        collection_path.name == "test_properties.py" or collection_path.parent.name == "clients"
    )
    return True if needing and "cryptography" in without() else None


def pytest_collection_modifyitems(config, items):
    keep, drop = [], []
    for item in items:
        needed = {name for mark in item.iter_markers("needs") for name in mark.args}
        thorough = item.get_closest_marker("thorough") and not config.getoption("--thorough")
        (drop if needed & without() or thorough else keep).append(item)
    if drop:
        config.hook.pytest_deselected(items=drop)
        items[:] = keep


@pytest.fixture(scope="session")
def thorough(pytestconfig):
    """Is this the run with --thorough?"""
    return pytestconfig.getoption("--thorough")
