"""Drives headless Chromium by its DevTools protocol, over a pipe: no package is needed, and no port is open.

https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

KEYS = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38}


class Chromium:
    """A browser with one page."""

    def __init__(self, width=1280, height=720):
        program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        if not program:
            raise SystemExit("there is no Chromium: install chromium-headless-shell")
        self.profile = tempfile.mkdtemp()
        to_read, self.to_write = os.pipe()
        self.to_read, to_write = os.pipe()

        def pipes():
            # Both may have the numbers that the other one needs.
            read, write = os.dup(to_read), os.dup(to_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.messages, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        """Sends a command and waits for its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 30
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.messages.append(answer)

    def _receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.to_read], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser did not answer")
            more = os.read(self.to_read, 1 << 16)
            if not more:
                raise RuntimeError("the browser has ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def js(self, expression):
        """The value of an expression, of a promise the value that it gets."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", "the script failed"))
        return result["result"].get("value")

    def wait(self, expression, seconds=10):
        """Waits until an expression is true, and returns the seconds that it took."""
        begun = time.monotonic()
        while True:
            try:
                if self.js(expression):
                    return time.monotonic() - begun
            except RuntimeError:
                # The page is being replaced.
                pass
            if time.monotonic() - begun > seconds:
                raise AssertionError(f"not within {seconds} s: {expression}\n{self.js('document.body.innerText')[:800]}")
            time.sleep(0.01)

    def open(self, url):
        self.js("window.isOld = true")
        self.call("Page.navigate", url=url)
        self.wait("!window.isOld && document.readyState === 'complete'")

    def load(self, expression):
        """Runs an expression that leads to another page."""
        self.js(f"window.isOld = true; {expression}")
        self.wait("!window.isOld && document.readyState === 'complete'")

    def press(self, key):
        text = {"text": "\r"} if key == "Enter" else {} if key in KEYS else {"text": key}
        code = {"windowsVirtualKeyCode": KEYS[key]} if key in KEYS else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def press_and_load(self, key):
        """Presses a key that leads to another page."""
        self.js("window.isOld = true")
        self.press(key)
        self.wait("!window.isOld && document.readyState === 'complete'")

    def colours(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """The errors and warnings that the console has had since the last call."""
        found = []
        for message in self.messages:
            if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] in ("error", "warning"):
                found.append(message["params"]["entry"]["text"])
            if message.get("method") == "Runtime.exceptionThrown":
                found.append(message["params"]["exceptionDetails"]["text"])
        self.messages = []
        return found
