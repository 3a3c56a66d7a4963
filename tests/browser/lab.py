"""JupyterLab as a user starts it, for tests."""

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time

NEWS = "@jupyterlab/apputils-extension:announcements"


@contextlib.contextmanager
def started(folder, state, python=sys.executable, **environment):
    """The address and the token of a server that shows a folder.

    Parameters
    ----------
    folder, state : Path
        What it shows; where it keeps settings and the like.
    python : str
        Whose JupyterLab and whose kernel.
    **environment : str
        More variables.
    """
    homes = {f"JUPYTER_{name}_DIR": str(state / name) for name in ("CONFIG", "DATA", "RUNTIME")} | {
        f"JUPYTERLAB_{name}_DIR": str(state / name) for name in ("SETTINGS", "WORKSPACES")
    }
    settings = state / "CONFIG" / "labconfig" / "page_config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"disabledExtensions": {NEWS: True}}))  # it would look for some
    process = subprocess.Popen(
        [
            *(python, "-m", "jupyterlab", "--no-browser", "--port=0", "--ip=127.0.0.1"),
            *("--allow-root", "--LabApp.expose_app_in_browser=True"),
            f"--ServerApp.root_dir={folder}",
        ],
        env=os.environ | homes | {"IPYTHONDIR": str(state / "ipython")} | environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    address = r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w+)"
    found, log = threading.Event(), []

    def read():
        for line in process.stderr:
            log.append(line)
            if re.search(address, line):
                found.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        assert found.wait(60), "".join(log)
        match = re.search(address, "".join(log))
        yield match[1], match[2]
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.wait()
        reader.join(10)
        process.stderr.close()


class Pause:
    """Whether some seconds have gone by since it was last asked and said so."""

    def __init__(self, seconds):
        self.seconds, self.until = seconds, 0.0

    def over(self):
        if time.monotonic() < self.until:
            return False
        self.until = time.monotonic() + self.seconds
        return True
