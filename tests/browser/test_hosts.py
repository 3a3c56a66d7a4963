"""Players and views in what shows notebooks besides JupyterLab, as far as it can be had here.

nbviewer is nbconvert's HTML. Of VS Code there are the rules by which its web view shows outputs
(microsoft/vscode: `backLayerWebView.ts`, `webviewPreloads.ts`) and the front end of anywidget that
it loads; the program itself is not here.
"""

import base64
import contextlib
import functools
import http.server
import json
import threading
from pathlib import Path

import pytest
from pages import until, wait
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

import pyphys2d as p2


def stack():
    world = p2.World()
    world.add_body(p2.Box(20, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 0.8), [(0, 0.4 + 0.8 * k) for k in range(5)])
    return world


@contextlib.contextmanager
def pages(folder, policy=None):
    """The address of a server of a folder, which may send a policy along."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def end_headers(self):
            if policy:
                self.send_header("Content-Security-Policy", policy)
            super().end_headers()

        def log_message(self, *args):
            pass

    handler = functools.partial(Handler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(5)


def errors(browser):
    """Those of the console, but for the icon that a browser asks a server for."""
    log = [each["message"] for each in browser.get_log("browser") if each["level"] == "SEVERE"]
    return [each for each in log if "favicon.ico" not in each]


def play_in_frame(browser):
    """The player of the page's frame plays, and shows what it says."""
    frame = browser.find_element(By.CSS_SELECTOR, "iframe[title='player of a recorded run']")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", frame)
    browser.switch_to.frame(frame)
    wait(browser, "globalThis.player")
    browser.find_element(By.CSS_SELECTOR, "button[aria-label=Play]").click()
    wait(browser, "player.frame > 5")
    browser.find_element(By.CSS_SELECTOR, "button[aria-label=Pause]").click()
    browser.switch_to.default_content()


# --------------------------------------------------------------------------------------- nbviewer
@pytest.fixture
def exported(tmp_path):
    """A folder with a notebook of a run and a world, as `jupyter nbconvert --to html` writes it."""
    nbconvert = pytest.importorskip("nbconvert")
    pytest.importorskip("anywidget")
    from nbformat import v4

    from pyphys2d.jupyter import WorldView

    run = p2.simulate(stack(), 0.5)
    outputs = [
        {"text/plain": repr(run), "text/html": run._repr_html_()},
        WorldView(stack())._repr_mimebundle_()[0],
    ]
    saved = v4.new_notebook(
        cells=[
            v4.new_code_cell("it", outputs=[v4.new_output("display_data", data)])
            for data in outputs
        ]
    )
    text, _ = nbconvert.HTMLExporter().from_notebook_node(saved)
    (tmp_path / "notebook.html").write_text(text)
    return tmp_path


@pytest.mark.parametrize("served", [False, True])
def test_an_exported_notebook_plays(chromium, exported, served):
    with pages(exported) if served else contextlib.nullcontext(exported.as_uri()) as address:
        chromium.get(f"{address}/notebook.html")
        play_in_frame(chromium)
        # The world is a picture, once.
        pictures = chromium.find_elements(By.CSS_SELECTOR, "img[alt='the world as it was']")
        assert [each.size["width"] > 100 for each in pictures] == [True]
        # nbconvert's own page asks for scripts of elsewhere.
        assert [each for each in errors(chromium) if "cdn" not in each] == []
        chromium.get("about:blank")


def test_an_exported_notebook_under_a_strict_policy_has_its_pictures(chromium, exported):
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    with pages(exported, policy) as address:
        chromium.get(f"{address}/notebook.html")
        for alt in ("the last frame", "the world as it was"):
            picture = chromium.find_element(By.CSS_SELECTOR, f"img[alt='{alt}']")
            assert chromium.execute_script("return arguments[0].naturalWidth", picture) > 100
            assert picture.is_displayed()
        chromium.get("about:blank")
    chromium.get_log("browser")


# ---------------------------------------------------------------------------------------- VS Code
# Its policy where `notebook.experimental.enableCsp` is set; else there is none.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' https: http: data:; font-src 'self' https:; "
    "connect-src https:; child-src https: data:"
)
OUTER = """<!DOCTYPE html><meta charset="utf-8"><style>html,body{height:100%;margin:0}</style>
<iframe id="webview" sandbox="allow-scripts allow-same-origin allow-forms allow-downloads"
 style="width:100%;height:100%;border:0" src="output.html"></iframe>"""
# Outputs are put in as text, and their scripts run one by one.
OUTPUT = """<!DOCTYPE html><meta charset="utf-8">{head}
<body class="vscode-dark" data-vscode-theme-kind="vscode-dark"><div id="output"></div>
<script type="application/json" id="text">{text}</script><script>
const output = document.getElementById("output");
output.innerHTML = JSON.parse(document.getElementById("text").textContent);
for (const node of [...output.getElementsByTagName("script")]) {{
  const script = document.createElement("script");
  script.text = node.innerText;
  output.append(script);
  script.remove();
}}</script>"""


@pytest.mark.parametrize("policy", [None, POLICY])
def test_a_run_plays_in_a_web_view(chromium, tmp_path, policy):
    run = p2.simulate(stack(), 0.5)
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
    text = json.dumps(run._repr_html_()).replace("<", r"\u003c")
    (tmp_path / "output.html").write_text(OUTPUT.format(head=head, text=text))
    (tmp_path / "index.html").write_text(OUTER)
    with pages(tmp_path) as address:
        chromium.get(f"{address}/index.html")
        chromium.switch_to.frame("webview")
        play_in_frame(chromium)
        assert errors(chromium) == []
        chromium.get("about:blank")


# What anywidget needs of ipywidgets: a model and a view.
WIDGETS = """
globalThis.sent = [];
class DOMWidgetModel {
  constructor(state) { this.state = state; this.acts = []; this.initialize(); }
  initialize() {}
  set() {}
  save_changes() {}
  get(name) { return this.state[name]; }
  on(name, act, context) { this.acts.push({ name, act, context }); }
  once() {}
  off(name, act, context) {
    this.acts = this.acts.filter((each) => !((!name || each.name === name) &&
      (!act || each.act === act) && (!context || each.context === context)));
  }
  send(message) { sent.push(message); }
}
class DOMWidgetView {
  constructor(model, el) {
    Object.assign(this, { model, el, $el: { empty: () => el.replaceChildren() } });
  }
  remove() {}
}
globalThis.define = (names, make) => {
  const { AnyModel, AnyView } = make({ DOMWidgetModel, DOMWidgetView });
  const model = new AnyModel(JSON.parse(document.getElementById("state").textContent));
  new AnyView(model, document.getElementById("output")).render();
  globalThis.arrive = (content, text) => {
    const bytes = text === null ? [] : [new DataView(Uint8Array.from(atob(text), (c) =>
      c.charCodeAt(0)).buffer)];
    for (const { name, act } of model.acts) if (name === "msg:custom") act(content, bytes);
  };
};
"""


def test_a_world_is_alive_in_anywidgets_own_front_end(chromium, tmp_path, monkeypatch):
    """The script that VS Code, Colab and notebooks of old load, and the widget as it is sent."""
    anywidget = pytest.importorskip("anywidget")
    from pyphys2d._page import data_block
    from pyphys2d.jupyter import WorldView

    outbox = []
    monkeypatch.setattr(
        WorldView,
        "send",
        lambda self, content, buffers=None: outbox.append((content, buffers or [])),
    )
    world = p2.World()
    world.add_body(p2.Box(30, 1), (0, -0.5), kind="static")
    box = world.add_body(p2.Box(1, 1), (0, 0.5))
    view = WorldView(world, view=(-8, -1, 8, 8))
    names = ("_esm", "_css", "_anywidget_id", "height", "theme", "still")
    state = {name: getattr(view, name, None) for name in names}
    front = Path(anywidget.__file__).parent / "nbextension" / "index.js"
    (tmp_path / "index.js").write_text(front.read_text())
    (tmp_path / "index.html").write_text(
        '<!DOCTYPE html><meta charset="utf-8">'
        '<body class="vscode-dark" data-vscode-theme-kind="vscode-dark"><div id="output"></div>'
        f"{data_block('state', state)}<script>{WIDGETS}</script>"
        '<script src="index.js"></script>'
    )

    def exchange():
        for message in chromium.execute_script("return sent.splice(0)"):
            view._received(view, message, [])
        view.session.tick()
        for content, buffers in outbox:
            data = base64.b64encode(buffers[0]).decode() if buffers else None
            chromium.execute_script("arrive(...arguments)", content, data)
        outbox.clear()

    def reached(condition):
        def try_it():
            exchange()
            return condition()

        until(try_it, chromium)

    with pages(tmp_path) as address:
        chromium.get(f"{address}/index.html")
        shown = "return document.querySelector('.pp .time')?.textContent ?? ''"
        wait(chromium, "sent.length > 0")
        reached(lambda: chromium.execute_script(shown) == "0.00 s")
        assert chromium.execute_script("return document.querySelector('.pp.dark') !== null")
        canvas = chromium.find_element(By.CSS_SELECTOR, ".pp canvas")
        chromium.find_element(By.CSS_SELECTOR, ".pp .start").click()
        reached(lambda: world.step_count > 10)
        width, height = canvas.size["width"], canvas.size["height"]
        scale = 0.88 * min(width / 16, height / 9)
        down = round(3 * scale)  # the middle of the view is at 3.5 m
        hand = ActionChains(chromium, duration=20)
        hand.move_to_element_with_offset(canvas, 0, down).click_and_hold().perform()
        reached(lambda: len(world.joints) == 1)
        ActionChains(chromium, duration=20).move_by_offset(0, -round(3 * scale)).perform()
        reached(lambda: box.position[1] > 3)
        ActionChains(chromium, duration=10).release().perform()
        reached(lambda: len(world.joints) == 0)
        reached(lambda: box.position[1] < 0.7)
        assert errors(chromium) == []
        chromium.get("about:blank")
