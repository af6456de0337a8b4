import type { AddressInfo, Server as SocketServer, Socket } from 'node:net'
import ssh2, { type AuthContext, type Connection } from 'ssh2'
import { sshKeyPair } from './ssh-keys.ts'

// A CommonJS package, without named exports in Node.
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
  /** Number of bytes of a file after which it fails. */
  faultAfter: number
  /** Makes the server show another host key. */
  changeHostKey: () => Promise<void>
  close: () => Promise<void>
}

const { OPEN_MODE, STATUS_CODE } = utils.sftp

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
    faultAfter: 0,
    async changeHostKey() {
      await listening.close()
      listening = await listen(state.port)
    },
    close: () => listening.close(),
  }
  return state

  async function listen(port: number) {
    const { private: key } = sshKeyPair('ed25519')
    const server = new Server({ hostKeys: [key] }, (connection) => serve(connection, state, sockets))
    // The underlying socket server, missing in the types.
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

function serveFiles(sftp: ssh2.SFTPWrapper, shared: SftpServer, sockets: Set<Socket>): void {
  const handles: string[] = []
  const pathOf = (handle: Buffer): string => handles[handle.readUInt32BE(0)] ?? ''
  const { files } = shared
  sftp.on('OPEN', (id, path, flags) => {
    if (path.startsWith('missing/')) return sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
    if (flags & OPEN_MODE.WRITE) files.set(path, Buffer.alloc(0))
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(handles.push(path) - 1)
    sftp.handle(id, handle)
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
  const stat = (id: number, path: string): void => {
    const file = files.get(path)
    if (file) sftp.attrs(id, { mode: 0o100644, uid: 0, gid: 0, size: file.length, atime: 0, mtime: 0 })
    else sftp.status(id, STATUS_CODE.NO_SUCH_FILE)
  }
  sftp.on('STAT', stat)
  sftp.on('LSTAT', stat)
  sftp.on('REMOVE', (id, path) => sftp.status(id, files.delete(path) ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE))
  sftp.on('RENAME', (id, from, to) => {
    const file = files.get(from)
    if (!file || files.has(to)) return sftp.status(id, STATUS_CODE.FAILURE)
    files.delete(from)
    files.set(to, file)
    sftp.status(id, STATUS_CODE.OK)
  })
}
