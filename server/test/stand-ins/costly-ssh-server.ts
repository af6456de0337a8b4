import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'

// A server that implements just enough of SSH to make a client compute with a prime of its choice.

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const text = (bytes: Buffer | string): Buffer => Buffer.concat([number(bytes.length), Buffer.from(bytes)])

function packet(payload: Buffer): Buffer {
  const short = 8 - ((5 + payload.length) % 8)
  const padding = short < 4 ? short + 8 : short
  return Buffer.concat([number(1 + payload.length + padding), Buffer.from([padding]), payload, Buffer.alloc(padding)])
}

const offers = [
  'diffie-hellman-group-exchange-sha256',
  'rsa-sha2-256,ssh-rsa',
  'aes128-ctr',
  'aes128-ctr',
  'hmac-sha2-256',
  'hmac-sha2-256',
  'none',
  'none',
  '',
  '',
].map(text)
const asksForGroup = 34
const computed = 32

/** `exchanges` counts the clients that have computed with the prime, of 9,999 bits. */
export async function startCostlySshServer(): Promise<{ port: number; exchanges: () => number; close: () => void }> {
  const prime = randomBytes(1250)
  prime[0] = 0x7f
  prime[1249] = 0xff
  let exchanges = 0
  const sockets = new Set<Socket>()
  const answer = (socket: Socket, kind: number | undefined): void => {
    if (kind === asksForGroup) {
      socket.write(packet(Buffer.concat([Buffer.from([31]), text(prime), text(Buffer.from([2]))])))
    }
    if (kind !== computed) return
    exchanges++
    const modulus = Buffer.concat([Buffer.from([0]), randomBytes(256)])
    const key = Buffer.concat([text('ssh-rsa'), text(Buffer.from([1, 0, 1])), text(modulus)])
    const theirs = Buffer.concat([Buffer.from([0x3f]), randomBytes(1248)])
    const signature = Buffer.concat([text('rsa-sha2-256'), text(randomBytes(256))])
    socket.write(packet(Buffer.concat([Buffer.from([33]), text(key), text(theirs), text(signature)])))
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    let greeted = false
    let received = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.write('SSH-2.0-OpenSSH_9.9\r\n')
    socket.write(packet(Buffer.concat([Buffer.from([20]), randomBytes(16), ...offers, Buffer.alloc(5)])))
    socket.on('data', (piece) => {
      received = Buffer.concat([received, piece])
      if (!greeted) {
        const end = received.indexOf('\n')
        if (end === -1) return
        greeted = true
        received = received.subarray(end + 1)
      }
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        answer(socket, received[5])
        received = received.subarray(4 + received.readUInt32BE(0))
      }
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    // A server that listens on a port has an address of this form.
    port: (server.address() as AddressInfo).port,
    exchanges: () => exchanges,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
