import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** An unprivileged user for PostgreSQL, which refuses to run as root. Used when this process is root. */
export type Account = { uid: number; gid: number }

export type Accounts = {
  /** Runs the server, and owns the cluster. */
  server: Account
  /** Creates the cluster: unlike the server, `initdb` needs a user that /etc/passwd knows. */
  initdb: Account
}

// Ids that Linux distributions and systemd leave free (systemd.io/UIDS-GIDS).
const freeIds = { first: 60_706, count: 478 }

/**
 * Returns null when this process is not root: then PostgreSQL runs as the same user. Root gives each cluster a separate
 * user id, which keeps other programs from reading its files or sending it signals. Where the system has no such ids,
 * it is the unprivileged user, which other programs may share.
 */
export async function unprivilegedAccounts(cluster: string): Promise<Accounts | null> {
  if (process.getuid?.() !== 0) return null
  const shared = await unprivilegedUser()
  const owner = await ownerOf(cluster)
  // An existing cluster keeps its owner, which allows starting it without root.
  const isKept = owner && owner.uid !== 0 && owner.uid !== shared.uid
  return { server: isKept ? owner : await ownAccount(cluster, shared), initdb: shared }
}

/** Returns the same account for a folder at every start, and most likely different ones for different folders. */
async function ownAccount(cluster: string, shared: Account): Promise<Account> {
  const taken = new Set((await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => Number(line.split(':')[2])))
  const first = createHash('sha256').update(cluster).digest().readUInt32BE() % freeIds.count
  for (let step = 0; step < freeIds.count; step++) {
    const id = freeIds.first + ((first + step) % freeIds.count)
    if (!taken.has(id)) return (await isMapped(id)) ? { uid: id, gid: id } : shared
  }
  return shared
}

/** Returns whether the id exists in the container, if this is one. */
async function isMapped(id: number): Promise<boolean> {
  if (process.platform !== 'linux') return false
  return (await hasId('/proc/self/uid_map', id)) && hasId('/proc/self/gid_map', id)
}

async function hasId(map: string, id: number): Promise<boolean> {
  const ranges = (await readFile(map, 'utf8')).trim().split('\n')
  return ranges.some((range) => {
    const [first = 0, , count = 0] = range.trim().split(/\s+/).map(Number)
    return id >= first && id < first + count
  })
}

async function ownerOf(path: string): Promise<Account | null> {
  try {
    const { uid, gid } = await stat(path)
    return { uid, gid }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

async function unprivilegedUser(): Promise<Account> {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((each) => each.split(':', 1)[0] === 'nobody')
  const [, , uid, gid] = line?.split(':') ?? []
  // macOS shows the ids of this user as -2.
  const account = { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }
  if (account.uid > 0 && account.gid > 0) return account
  throw new Error(
    'PostgreSQL does not run as root, and there is no user "nobody" to run it as. Start the portal as another user, or set DATABASE_URL to a PostgreSQL server.',
  )
}

/** Returns whether the account may enter the folder and every folder above it. */
export async function canEnter(folder: string, account: Account): Promise<boolean> {
  for (let path = folder; ; path = dirname(path)) {
    if (!(await allows(path, account, 0o1))) return false
    if (path === dirname(path)) return true
  }
}

/** Returns whether the account may run the program. */
export async function canRun(program: string, account: Account): Promise<boolean> {
  return (await canEnter(dirname(program), account)) && (await allows(program, account, 0o5))
}

async function allows(path: string, account: Account, bits: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(path)
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}

/** Returns whether a system call failed with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
