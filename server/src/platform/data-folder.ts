import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import type { Logger } from './log.ts'

// A folder that has one of these is ours; any other may be a home folder, or /tmp.
const ourEntries = ['secret-key', 'postgres', 'files', 'logs', 'outbox']

/**
 * Makes the data folder accessible to its owner only, including one from an earlier release; creates it if it is
 * missing. Its files need no permissions of their own, since other users cannot enter the folder.
 */
export async function protectDataFolder(folder: string, log: Logger): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { mode } = await stat(folder)
  const entries = await readdir(folder)
  const isOurs = entries.length === 0 || ourEntries.some((name) => entries.includes(name))
  // When started by root, PostgreSQL reaches the database through an open folder on Linux, and by its path elsewhere.
  const wanted = process.platform !== 'linux' && process.getuid?.() === 0 ? 0o711 : 0o700
  // The sticky bit marks a folder shared by all users of the machine.
  if (!isOurs || (mode & 0o1000) !== 0 || (mode & 0o777 & ~wanted) === 0) return
  try {
    await chmod(folder, wanted)
  } catch (error) {
    // On a shared disk, another user may own it.
    log.warn({ err: error, folder }, 'other users of this machine can read the data folder')
  }
}
