"""A loopback endpoint that speaks the protocol, and misbehaves on purpose."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FakeEndpoint:
    """Serve on loopback; `act(prompt, attempt)` says how: a dict, bytes, or a word."""

    def __init__(self, act):
        self.act = act
        self.asked, self.answered = Counter(), Counter()
        self.headers = []
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                outer.serve(self)

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that was killed
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def serve(self, handler):
        size = int(handler.headers["Content-Length"])
        asked = json.loads(handler.rfile.read(size))
        prompt = asked["messages"][0]["content"]
        with self.lock:
            self.asked[prompt] += 1
            self.headers.append(handler.headers.get("Authorization"))
            attempt = self.asked[prompt]
        what = self.act(prompt, attempt)
        if isinstance(what, int):
            handler.send_response(what)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        if isinstance(what, tuple):
            handler.send_response(302)
            handler.send_header("Location", what[1])
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        if what == "cut":
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(b'{"choices": [{"mess')
            handler.close_connection = True
            return
        body = what if isinstance(what, bytes) else json.dumps(what).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        with self.lock:
            self.answered[prompt] += 1

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def said(text, likely=None):
    """A reply of the protocol."""
    choice = {"message": {"role": "assistant", "content": text}}
    if likely is not None:
        top = [{"token": token, "logprob": value} for token, value in likely.items()]
        choice["logprobs"] = {"content": [{"token": text, "top_logprobs": top}]}
    usage = {"prompt_tokens": 10, "completion_tokens": 1}
    return {"choices": [choice], "usage": usage}
