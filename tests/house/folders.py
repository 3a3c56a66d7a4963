"""Tests of files with a case for each folder: one for each file would be thousands, and take longer
to begin and end than to run.
"""

import pytest


def of_files(paths):
    """Decorates a test of one path, which then has a case for each folder of these."""
    folders = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path)

    def decorate(test):
        @pytest.mark.parametrize("folder", folders, ids=lambda folder: folder.name)
        def test_of_folder(folder):
            for path in folders[folder]:
                try:
                    test(path)
                except (AssertionError, pytest.fail.Exception) as error:
                    error.add_note(str(path))
                    raise

        test_of_folder.__name__, test_of_folder.__doc__ = test.__name__, test.__doc__
        return test_of_folder

    return decorate
