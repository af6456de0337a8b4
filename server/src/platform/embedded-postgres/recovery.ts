import { open } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { hasCode } from './account.ts'

/** The state of the server according to the cluster's control file: `stopping` while it writes its last checkpoint. */
type ClusterState = 'stopping' | 'recovering' | 'other'

// Start of `ControlFileData`, the same in all releases since 8.3: identifier of 8 bytes, two versions of 4, `DBState`.
const stateOffset = 16
const states: Record<number, ClusterState> = { 3: 'stopping', 4: 'recovering' }

/** Reads the state from `global/pg_control`. A server that ended without a checkpoint leaves its last state. */
export async function clusterState(cluster: string): Promise<ClusterState> {
  try {
    await using file = await open(join(cluster, 'global/pg_control'))
    const bytes = Buffer.alloc(stateOffset + 4)
    await file.read(bytes, 0, bytes.length, 0)
    // Servers use the byte order of their machine, and all machines that npm has packages for are little-endian.
    return states[bytes.readUInt32LE(stateOffset)] ?? 'other'
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'other'
    throw error
  }
}

const answerWaitMs = 1000
// Protocol 3.0 without a database, and a user that is never looked up, because the server reports its state first.
const startup = Buffer.from('\0\0\0\x13\0\x03\0\0user\0portico\0\0', 'latin1')
startup.writeUInt32BE(startup.length)

/** Returns whether a server refuses connections (57P03, `cannot_connect_now`), for instance during crash recovery. */
export function refusesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(startup))
    const answer = (isRefusal: boolean): void => {
      socket.destroy()
      resolve(isRefusal)
    }
    let text = ''
    socket.setTimeout(answerWaitMs, () => answer(false))
    socket.on('error', () => answer(false))
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      // `E` starts an error message, anything else asks for the password.
      if (!text.startsWith('E')) answer(false)
      else if (text.includes('\0C57P03\0')) answer(true)
    })
    socket.on('end', () => answer(false))
  })
}
