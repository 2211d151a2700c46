"""What several tests of the views begin with."""

import pytest


@pytest.fixture(scope="module")
def page(chromium):
    """Open one empty page."""
    page = chromium.new_page()
    yield page
    page.close()
