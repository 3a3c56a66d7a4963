"""Pages in a real browser, Chromium without a window (extra ``browser``, and chromium-driver)."""

import shutil
from importlib.util import find_spec

import pytest

# The browser lane installs it; elsewhere these files are left alone.
if find_spec("selenium") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def chromium():
    """A driver, 1000 by 700 pixels; it keeps what the pages write to their console."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for switch in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "window-size=1000,700"):
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program:
        options.binary_location = program
    made = webdriver.Chrome(options, Service(driver) if driver else None)
    made.set_script_timeout(60)
    yield made
    made.quit()


@pytest.fixture
def browser(chromium):
    """The driver with an empty page; a message of a page's console is an error."""
    from pages import quiet

    with quiet(chromium):
        yield chromium
