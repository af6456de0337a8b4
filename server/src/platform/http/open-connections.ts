import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { limitedNetwork } from '#platform/limited-network.ts'

/** Maximum number of connections, in total and of one network; also a network's requests through trusted proxies. */
export type ConnectionLimits = { connections: number; connectionsOfNetwork: number }

/** Connections that count together. `waiting`: those without a request that has arrived, oldest first. */
class Group {
  readonly #open = new Set<Socket>()
  readonly #waiting = new Set<Socket>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  get isFull(): boolean {
    return this.#open.size >= this.#most
  }

  get oldestWaiting(): Socket | undefined {
    return this.#waiting.values().next().value
  }

  add(socket: Socket): void {
    this.#open.add(socket)
    this.#waiting.add(socket)
  }

  remove(socket: Socket): void {
    this.#open.delete(socket)
    this.#waiting.delete(socket)
  }

  /** A request has arrived. */
  occupy(socket: Socket): void {
    this.#waiting.delete(socket)
  }

  /** All requests have their replies. */
  release(socket: Socket): void {
    if (this.#open.has(socket)) this.#waiting.add(socket)
  }
}

type Known = { groups: readonly Group[]; requests: number }

const mostListeners = 16

/**
 * Limits the number of connections, which keeps one network from taking them all. At a limit, a new connection replaces
 * the oldest waiting one: one that has sent nothing, or an incomplete request, since it was opened or got its last
 * reply. If none waits, the new one is closed.
 * @param isProxy whether an address is that of a trusted proxy, which serves many networks
 */
export function limitConnections(
  server: Server,
  { connections, connectionsOfNetwork }: ConnectionLimits,
  isProxy: (address: string) => boolean,
): void {
  const all = new Group(connections)
  const networks = new Map<string, Group>()
  const known = new WeakMap<Socket, Known>()

  const close = (socket: Socket): void => {
    // Not when the close is over, or several new connections would count on the same place.
    for (const group of known.get(socket)?.groups ?? []) group.remove(socket)
    socket.destroy()
  }
  const hasRoom = (group: Group): boolean => {
    if (group.isFull && group.oldestWaiting) close(group.oldestWaiting)
    return !group.isFull
  }
  const networkOf = (socket: Socket): Group => {
    const network = limitedNetwork(socket.remoteAddress ?? '')
    const group = networks.get(network) ?? new Group(connectionsOfNetwork)
    networks.set(network, group)
    socket.once('close', () => {
      group.remove(socket)
      if (group.isEmpty && networks.get(network) === group) networks.delete(network)
    })
    return group
  }
  server.on('connection', (socket) => {
    const groups = isProxy(socket.remoteAddress ?? '') ? [all] : [networkOf(socket), all]
    // In this order: a place that becomes free in the network is free in total too.
    if (!groups.every(hasRoom)) return void socket.destroy()
    for (const group of groups) group.add(socket)
    known.set(socket, { groups, requests: 0 })
    socket.once('close', () => all.remove(socket))
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = known.get(socket)
    // A connection that was ended still delivers data that had arrived before.
    if (!connection || socket.destroyed) return
    connection.requests += 1
    for (const group of connection.groups) group.occupy(socket)
    // The framework and the streams of a file add ten listeners of their own, after which Node.js warns of a leak.
    response.setMaxListeners(mostListeners)
    response.once('close', () => {
      connection.requests -= 1
      if (connection.requests === 0) for (const group of connection.groups) group.release(socket)
    })
  })
}
