// A server that reads and writes multipart forms as browsers do: it answers a POST with what Node.js found in it, as JSON, and a GET
// with a form. It says its port on a line, and ends with its input.
import http from "node:http";
import { Readable } from "node:stream";

if (Number(process.versions.node.split(".")[0]) < 20) {
  console.log("skip: Node.js " + process.versions.node + " is older than 20");
  process.exit(0);
}

async function found(req) {
  const options = { method: "POST", headers: { "Content-Type": req.headers["content-type"] }, body: Readable.toWeb(req), duplex: "half" };
  const form = await new Request("http://localhost/", options).formData();
  const parts = [];
  for (const [name, value] of form) {
    if (typeof value === "string") {
      parts.push({ name, content: Buffer.from(value).toString("base64") });
    } else {
      parts.push({ name, filename: value.name, type: value.type, content: Buffer.from(await value.arrayBuffer()).toString("base64") });
    }
  }
  return parts;
}

function form() {
  const form = new FormData();
  for (const name of ["plain", 'quo"te', "new\r\nline", "caf\u00e9 \u65e5\u672c", "a;b=c", "back\\slash", "100%"]) {
    form.append(name, "value of " + name);
    form.append(name, new Blob(["content of " + name], { type: "text/x-odd" }), name + ".txt");
  }
  form.append("binary", new Blob([Uint8Array.from({ length: 100_000 }, (_, i) => i)]), "b");
  return new Response(form);
}

const server = http.createServer(async (req, res) => {
  try {
    if (req.method === "GET") {
      const made = form();
      res.writeHead(200, { "Content-Type": made.headers.get("Content-Type") });
      Readable.fromWeb(made.body).pipe(res);
    } else {
      const text = JSON.stringify(await found(req));
      res.writeHead(200, { "Content-Type": "application/json" });
      res.end(text);
    }
  } catch (e) {
    res.writeHead(400);
    res.end(String(e && e.stack));
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
