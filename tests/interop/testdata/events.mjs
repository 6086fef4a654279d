// A server of events on node:http: what it writes is written by hand, in awkward pieces. It prints its port and ends with its input.
import { createServer } from 'node:http'

const pieces = [
  '\uFEFF: hello\r\nretry: 10\r\n\r', '\nid: 1\revent: add\rdata: é', ' one\r\r', 'data: two\ndata\ndata:three\n', '\nid: 2\ndata: 🎈\n\nid: 3\ndata: lost',
]

const server = createServer((request, response) => {
  const last = request.headers['last-event-id']
  // Node reads header values as ISO-8859-1.
  const id = last === undefined ? undefined : Buffer.from(last, 'latin1').toString()
  if (request.headers.accept !== 'text/event-stream') {
    response.writeHead(406).end()
  } else if (id === 'é') {
    response.writeHead(204).end()
  } else if (id === '2') {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.end('id: é\ndata: again\n\n')
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const next = (i) => {
      if (i === pieces.length) {
        response.destroy() // in the middle of an event, without an end of the chunks
        return
      }
      const bytes = Buffer.from(pieces[i])
      const cut = bytes.length - 2 // within a character where there is one
      response.write(bytes.subarray(0, cut), () => response.write(bytes.subarray(cut), () => setImmediate(next, i + 1)))
    }
    next(0)
  }
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().on('end', () => {
  server.closeAllConnections()
  server.close()
})
