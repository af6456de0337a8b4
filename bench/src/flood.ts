// Sends 1,000 requests a second from its own address, until it is ended: node flood.ts <url> <origin>
import { Agent, get } from 'node:http'

const [url = '', origin = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 50, localAddress: '127.0.0.2' })
const perTick = 10

setInterval(() => {
  for (let at = 0; at < perTick; at++) {
    get(url, { agent, headers: { origin } }, (reply) => reply.resume()).once('error', () => {})
  }
}, 10)
