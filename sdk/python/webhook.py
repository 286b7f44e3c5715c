"""Receives webhooks: answers 204 to those that the service has signed, and 400 to all others."""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from troupe import WebhookSignatureError, verify_webhook


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(dict(self.headers), body, os.environ["TROUPE_WEBHOOK_SECRET"])
        except WebhookSignatureError as error:
            self.send_error(400, str(error))
            return
        print(event["sequence"], event["type"], event["resource"]["id"], flush=True)
        self.send_response(204)
        self.end_headers()


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver)
    print(f"Listening on port {server.server_port}", flush=True)
    server.serve_forever()
