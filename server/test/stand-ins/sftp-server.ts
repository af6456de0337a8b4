import type { AddressInfo, Server as SocketServer, Socket } from 'node:net'
import ssh2, { type AuthContext, type Connection } from 'ssh2'
import { sshKeyPair } from './ssh-keys.ts'

// A CommonJS package, without named exports in Node.js.
const { Server, utils } = ssh2

export type SftpServer = {
  port: number
  /** Files by path. */
  files: Map<string, Buffer>
  /** The password of `ada`; null: none. */
  password: string | null
  /** The public key of `ada`, in the format of `authorized_keys`; null: none. */
  publicKey: string | null
  /** Sign-in attempts of `ada`, in order: a password by its text, a key by its algorithm. */
  tried: string[]
  /** The failure to simulate from now on. */
  fault: 'nothing' | 'full disk' | 'drop'
  /** Kinds of requests that never get a response, while the connection is kept alive. */
  unanswered: readonly string[]
  /** How long each request waits. */
  delayMs: number
  /** Number of bytes of a file after which it fails. */
  faultAfter: number
  /** Features of the server: as OpenSSH by default. */
  abilities: Abilities
  /** Responses that a name is free wait for this many requests, which makes uploads collide. */
  askedAtOnce: number
  /** Called when a file gets its name, in place of the response. */
  onNamed: (() => void) | null
  /** Makes the server show another host key. */
  changeHostKey: () => Promise<void>
  close: () => Promise<void>
}

type Abilities = {
  hardlink: boolean
  posixRename: boolean
  /** How it treats a request to create a file that must not exist. */
  exclusive: 'honored' | 'ignored' | 'refused'
  /** Whether a plain rename replaces a file of that name, in violation of the protocol. */
  renameReplaces: boolean
}

const asOpenSsh: Abilities = { hardlink: true, posixRename: true, exclusive: 'honored', renameReplaces: false }

const { OPEN_MODE, STATUS_CODE } = utils.sftp

let known: string | null = null
/** The same for all servers of a process: the system reuses ports, and the portal remembers the keys of ports. */
const firstKey = (): string => (known ??= sshKeyPair('ed25519').private)

/** Starts an SFTP server on a free port of this machine, with files in memory. */
export async function startSftpServer(): Promise<SftpServer> {
  const sockets = new Set<Socket>()
  let listening = await listen(0)
  const state: SftpServer = {
    port: listening.port,
    files: new Map(),
    password: 'right',
    publicKey: null,
    tried: [],
    fault: 'nothing',
    unanswered: [],
    delayMs: 0,
    faultAfter: 0,
    abilities: { ...asOpenSsh },
    askedAtOnce: 0,
    onNamed: null,
    async changeHostKey() {
      await listening.close()
      listening = await listen(state.port, sshKeyPair('ed25519').private)
    },
    close: () => listening.close(),
  }
  return state

  async function listen(port: number, key = firstKey()) {
    const server = new Server({ hostKeys: [key] }, (connection) => serve(connection, state, sockets))
    // The underlying socket server, missing from the types.
    const raw = (server as unknown as { _srv: SocketServer })._srv
    raw.on('connection', (socket: Socket) => sockets.add(socket.once('close', () => sockets.delete(socket))))
    await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', () => resolve()))
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
    // A server that listens on a port has an address of this form.
    return { port: (server.address() as AddressInfo).port, close }
  }
}

function serve(connection: Connection, shared: SftpServer, sockets: Set<Socket>): void {
  connection.on('error', () => {})
  connection.on('authentication', (context) => {
    const isRight = context.username === 'ada' && (isRightPassword(context, shared) || isRightKey(context, shared))
    if (isRight) context.accept()
    else context.reject(['password', 'publickey'])
  })
  connection.on('ready', () => {
    keepAlive(connection)
    connection.on('session', (accept) => accept().on('sftp', (open) => serveFiles(open(), shared, sockets)))
  })
}

function isRightPassword(context: AuthContext, { password, tried }: SftpServer): boolean {
  if (context.method !== 'password') return false
  tried.push(context.password)
  return context.password === password
}

/** A client first asks whether a key is accepted, then signs with it. */
function isRightKey(context: AuthContext, { publicKey, tried }: SftpServer): boolean {
  if (context.method !== 'publickey') return false
  const { key, signature, blob, hashAlgo } = context
  tried.push(key.algo)
  const known = publicKey === null ? null : utils.parseKey(publicKey)
  if (known === null || known instanceof Error || !known.getPublicSSH().equals(key.data)) return false
  return !signature || !blob || known.verify(blob, signature, hashAlgo) === true
}

/** A string of the protocol: its length, then its bytes. */
const asString = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Adds extensions to the version packet of the library, which has none. */
function announce(sftp: ssh2.SFTPWrapper, names: readonly string[]): void {
  type Protocol = { channelData: (channel: number, data: Buffer) => unknown }
  // Missing from the types.
  const { _protocol: protocol } = sftp as unknown as { _protocol: Protocol }
  const send = protocol.channelData.bind(protocol)
  const version = Buffer.from([0, 0, 0, 5, 2, 0, 0, 0, 3])
  protocol.channelData = (channel, data) => {
    if (!version.equals(data)) return send(channel, data)
    const body = Buffer.concat([version.subarray(4), ...names.flatMap((name) => [asString(name), asString('1')])])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    return send(channel, Buffer.concat([length, body]))
  }
}

/** Requests that wait until as many as `askedAtOnce` have come. */
const held = new Map<SftpServer, (() => void)[]>()

function answerTogether(shared: SftpServer, answer: () => void): void {
  if (shared.askedAtOnce === 0) return answer()
  const waiting = [...(held.get(shared) ?? []), answer]
  held.set(shared, waiting)
  if (waiting.length < shared.askedAtOnce) return
  shared.askedAtOnce = 0
  held.delete(shared)
  for (const each of waiting) each()
}

const keepAliveMs = 200

/** Sends what servers send on idle connections. */
function keepAlive(connection: Connection): void {
  // Missing in the types.
  const { _protocol: protocol } = connection as unknown as { _protocol: { ping: () => void } }
  const timer = setInterval(() => protocol.ping(), keepAliveMs)
  connection.on('close', () => clearInterval(timer))
}

/** Lets the requests through that are responded to. */
function holdBack(sftp: ssh2.SFTPWrapper, shared: SftpServer): void {
  const channel = sftp as unknown as { emit: (event: string, ...values: unknown[]) => boolean }
  const emit = channel.emit.bind(channel)
  channel.emit = (event, ...values) => {
    const isRequest = /^[A-Z]+$/.test(event)
    if (isRequest && shared.unanswered.includes(event)) return true
    if (!isRequest || shared.delayMs === 0) return emit(event, ...values)
    setTimeout(() => emit(event, ...values), shared.delayMs)
    return true
  }
}

function serveFiles(sftp: ssh2.SFTPWrapper, shared: SftpServer, sockets: Set<Socket>): void {
  holdBack(sftp, shared)
  const handles: string[] = []
  const pathOf = (handle: Buffer): string => handles[handle.readUInt32BE(0)] ?? ''
  const { files, abilities } = shared
  const extensions = { 'hardlink@openssh.com': abilities.hardlink, 'posix-rename@openssh.com': abilities.posixRename }
  announce(
    sftp,
    Object.entries(extensions).flatMap(([name, isThere]) => (isThere ? [name] : [])),
  )
  sftp.on('OPEN', (id, path, flags) => {
    if (path.startsWith('missing/')) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
    const isThere = files.has(path)
    if (flags & OPEN_MODE.EXCL && abilities.exclusive === 'refused') return sftp.status(id, STATUS_CODE.OP_UNSUPPORTED)
    if (flags & OPEN_MODE.EXCL && abilities.exclusive === 'honored' && isThere) {
      return sftp.status(id, STATUS_CODE.FAILURE)
    }
    if (!isThere && !(flags & OPEN_MODE.CREAT)) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
    if (!isThere || flags & OPEN_MODE.TRUNC) files.set(path, Buffer.alloc(0))
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(handles.push(path) - 1)
    sftp.handle(id, handle)
  })
  sftp.on('READ', (id, handle, offset, length) => {
    const data = files.get(pathOf(handle))?.subarray(offset, offset + length)
    if (data && data.length > 0) sftp.data(id, data)
    else sftp.status(id, STATUS_CODE.EOF)
  })
  sftp.on('WRITE', (id, handle, offset, data) => {
    const path = pathOf(handle)
    if (shared.fault !== 'nothing' && offset + data.length > shared.faultAfter) {
      if (shared.fault === 'full disk') return sftp.status(id, STATUS_CODE.FAILURE, 'No space left on device')
      // Fails once: the next connection works.
      shared.fault = 'nothing'
      for (const socket of sockets) socket.destroy()
      return
    }
    const before = files.get(path) ?? Buffer.alloc(0)
    const grown = Buffer.alloc(Math.max(before.length, offset + data.length))
    before.copy(grown)
    data.copy(grown, offset)
    files.set(path, grown)
    sftp.status(id, STATUS_CODE.OK)
  })
  sftp.on('CLOSE', (id) => sftp.status(id, STATUS_CODE.OK))
  sftp.on('FSETSTAT', (id) => sftp.status(id, STATUS_CODE.OK))
  serveNames(sftp, shared)
}

/** Requests about names of files rather than their content. */
function serveNames(sftp: ssh2.SFTPWrapper, shared: SftpServer): void {
  const { files, abilities } = shared
  const stat = (id: number, path: string): void => {
    const file = files.get(path)
    if (file) sftp.attrs(id, { mode: 0o100644, uid: 0, gid: 0, size: file.length, atime: 0, mtime: 0 })
    else answerTogether(shared, () => sftp.status(id, STATUS_CODE.NO_SUCH_FILE))
  }
  sftp.on('STAT', stat)
  sftp.on('LSTAT', stat)
  sftp.on('REMOVE', (id, path) => sftp.status(id, files.delete(path) ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE))
  /** Gives a file a second name, or another one. */
  const name = (id: number, from: string, to: string, { replaces, keeps }: { replaces: boolean; keeps: boolean }) => {
    const file = files.get(from)
    if (!file || (files.has(to) && !replaces)) return sftp.status(id, STATUS_CODE.FAILURE)
    if (!keeps) files.delete(from)
    files.set(to, file)
    if (shared.onNamed) shared.onNamed()
    else sftp.status(id, STATUS_CODE.OK)
  }
  sftp.on('RENAME', (id, from, to) => name(id, from, to, { replaces: abilities.renameReplaces, keeps: false }))
  sftp.on('EXTENDED', (id, extension, data) => {
    const length = data.readUInt32BE(0)
    const [from, to] = [data.toString('utf8', 4, 4 + length), data.toString('utf8', 8 + length)]
    if (extension === 'hardlink@openssh.com') name(id, from, to, { replaces: false, keeps: true })
    else if (extension === 'posix-rename@openssh.com') name(id, from, to, { replaces: true, keeps: false })
    else sftp.status(id, STATUS_CODE.OP_UNSUPPORTED)
  })
}
