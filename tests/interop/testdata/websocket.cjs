// Web sockets on the ws package, or as a client on the WebSocket that Node itself has.
//
//   websocket.cjs server            echoes, and closes with 4001 when it is told "bye"; prints its port and ends with its input
//   websocket.cjs client URL        sends messages, compares what comes back, and prints what it saw
//   websocket.cjs own URL           the same with Node's own
'use strict'
const [, , role, url] = process.argv

function library () {
  try {
    return require('ws')
  } catch {
    console.log('skip: the package ws of Node is not installed')
    process.exit(0)
  }
}

const messages = ['', 'é 🎈', 'x'.repeat(126), 'y'.repeat(70000), Buffer.alloc(0), Buffer.alloc(125, 1), Buffer.alloc(65536, 2), Buffer.alloc(1 << 20, 'abc')]

function serve () {
  const { WebSocketServer } = library()
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: { threshold: 0 }, handleProtocols: (offered) => offered.has('echo') ? 'echo' : false })
  server.on('listening', () => console.log(server.address().port))
  server.on('connection', (socket) => {
    socket.on('error', (e) => console.error(e))
    socket.on('message', (data, binary) => {
      if (data.toString() === 'bye') {
        socket.close(4001, 'as you wish')
      } else if (data.toString() === 'ping') {
        socket.once('pong', (payload) => socket.send('pong ' + payload))
        socket.ping('are you there')
      } else if (data.toString() === 'fragments') {
        socket.send('frag', { fin: false, compress: true })
        socket.ping()
        socket.send('men', { fin: false })
        socket.send('ts', { fin: true })
      } else {
        socket.send(data, { binary })
      }
    })
  })
  process.stdin.resume().on('end', () => {
    server.clients.forEach((socket) => socket.terminate())
    server.close()
  })
}

function talk () {
  let socket
  if (role === 'client') {
    const { WebSocket } = library()
    socket = new WebSocket(url, ['other', 'echo'], { perMessageDeflate: { threshold: 0 } })
  } else if (globalThis.WebSocket === undefined) {
    console.log('skip: Node has no WebSocket of its own')
    return
  } else {
    socket = new globalThis.WebSocket(url, ['other', 'echo'])
  }
  socket.binaryType = 'arraybuffer'
  let next = 0
  socket.addEventListener('open', () => {
    console.log('open', socket.protocol)
    messages.forEach((m) => socket.send(m))
  })
  socket.addEventListener('message', ({ data }) => {
    const sent = messages[next++]
    const same = typeof sent === 'string' ? sent === data : data instanceof ArrayBuffer && sent.equals(Buffer.from(data))
    console.log(same ? 'same' : 'differs', data.length ?? data.byteLength)
    if (next === messages.length) socket.send('bye')
  })
  socket.addEventListener('error', (e) => console.log('error', e.message))
  socket.addEventListener('close', (e) => console.log('close', e.code, e.reason, e.wasClean))
}

if (role === 'server') serve()
else talk()
