import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The unprivileged user that PostgreSQL runs as when this process is root; PostgreSQL refuses to run as root. */
export type Account = { uid: number; gid: number }

/** Returns null when this process is not root: then PostgreSQL runs as the same user. */
export async function unprivilegedAccount(cluster: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null
  // An existing cluster keeps its owner, so that it can still be started without root.
  const owner = await ownerOf(cluster)
  return owner && owner.uid !== 0 ? owner : unprivilegedUser()
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
  // macOS writes the ids of this user as -2.
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
