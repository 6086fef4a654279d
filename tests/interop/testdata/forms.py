# A server that answers a POST with what Python's parser of MIME messages found in it, as JSON. It says its port on a line, and ends
# with its input.
import base64
import email.parser
import email.policy
import http.server
import json
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        head = "Content-Type: " + self.headers["Content-Type"] + "\r\n\r\n"
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head.encode() + body)
        text = json.dumps(found(message)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


def found(message):
    parts = []
    for part in message.iter_parts():
        one = {"name": part.get_param("name", header="content-disposition"), "defects": [str(d) for d in part.defects]}
        if part.get_filename() is not None:
            one["filename"] = part.get_filename()
        if "content-type" in part:
            one["type"] = part.get_content_type()
        if part.is_multipart():
            one["parts"] = found(part)
        else:
            one["content"] = base64.b64encode(part.get_payload(decode=True)).decode()
        parts.append(one)
    return parts


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
