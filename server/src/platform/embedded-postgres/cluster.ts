import { randomBytes, randomUUID } from 'node:crypto'
import {
  chmod,
  lchown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Account, hasCode, unprivilegedAccounts } from './account.ts'
import { lastLogLines, preparePrograms, startProgram, type Programs } from './programs.ts'

/** The PostgreSQL cluster of one data folder, ready to start. */
export type Cluster = {
  /** `DATA_DIR/postgres`: passwords, port, log and cluster. */
  home: string
  /** PostgreSQL's own data folder, below home. */
  folder: string
  /** Password of the superuser, which only sets up the database. */
  password: string
  /** Password of the role that the portal uses. */
  ownerPassword: string
  programs: Programs
}

/** A running cluster, as other programs reach it. */
export type Reachable = Pick<Cluster, 'folder' | 'password' | 'ownerPassword'>

const superuser = 'portico'
/** The role that the portal uses: not a superuser, but the owner of its database. */
export const ownerRole = 'portal'
const database = 'portico'

/** Only for preparing the database. */
export function superuserUrl({ password }: Reachable, port: number, name: string): string {
  return `postgres://${superuser}:${password}@127.0.0.1:${port}/${name}`
}

export function ownerUrl({ ownerPassword }: Reachable, port: number): string {
  return `postgres://${ownerRole}:${ownerPassword}@127.0.0.1:${port}/${database}`
}

/** Opens the cluster, or creates it on the first start. */
export async function openCluster(dataDir: string, options: { durable: boolean }): Promise<Cluster> {
  await mkdir(dataDir, { recursive: true })
  const home = join(await realpath(dataDir), 'postgres')
  await mkdir(home, { recursive: true })
  const folder = join(home, 'cluster')
  const accounts = await unprivilegedAccounts(folder)
  const account = accounts?.server ?? null
  // PostgreSQL passes through this folder to the cluster, but cannot list it.
  await chmod(home, account ? 0o711 : 0o700)
  const programs = await preparePrograms(home, account)
  const version = await readText(join(folder, 'PG_VERSION'))
  const password = await keepPassword(join(home, 'password'), version !== null)
  const ownerPassword = await keepPassword(join(home, 'owner-password'), false)
  const newcomer = accounts && { ...programs, account: accounts.initdb }
  if (version === null) await makeCluster(folder, newcomer ?? programs, account, password, options.durable)
  else if (version !== programs.majorVersion)
    throw new Error(
      `${folder} was created by PostgreSQL ${version}, but this portal uses PostgreSQL ${programs.majorVersion}.`,
    )
  else await repairOwner(folder, account)
  return { home, folder, password, ownerPassword, programs }
}

/** Returns the folder and passwords of an existing cluster; null if there is none. */
export async function findCluster(dataDir: string): Promise<Reachable | null> {
  const home = join(dataDir, 'postgres')
  const password = await readText(join(home, 'password'))
  if (password === null) return null
  const ownerPassword = await keepPassword(join(home, 'owner-password'), false)
  return { folder: join(home, 'cluster'), password, ownerPassword }
}

async function keepPassword(path: string, isNeeded: boolean): Promise<string> {
  const kept = await readText(path)
  if (kept !== null) return kept
  if (isNeeded) throw new Error(`${path} is missing. The database next to it cannot be opened without it.`)
  // Linked only once complete: of two processes that start together, one writes it, and both read all of it.
  const unfinished = `${path}.${randomUUID()}`
  await writeFile(unfinished, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  await unlessThere(link(unfinished, path))
  await rm(unfinished)
  return (await readFile(path, 'utf8')).trim()
}

async function makeCluster(
  folder: string,
  programs: Programs,
  owner: Account | null,
  password: string,
  durable: boolean,
): Promise<void> {
  // Created under a temporary name, which keeps an interrupted start from leaving a broken cluster.
  const unfinished = await mkdtemp(join(programs.home, 'unfinished-'))
  try {
    await writeFile(join(unfinished, 'password'), password, { mode: 0o600 })
    if (programs.account) await giveTo(programs.account, unfinished)
    await runInitdb(programs, join(programs.reachHome, basename(unfinished)), durable)
    if (owner) await giveTo(owner, join(unfinished, 'cluster'))
    // Of two processes that start together, the later one finds that it exists.
    await unlessThere(rename(join(unfinished, 'cluster'), folder))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function runInitdb(programs: Programs, folder: string, durable: boolean): Promise<void> {
  const initdb = startProgram(programs, 'initdb', [
    `--pgdata=${folder}/cluster`,
    `--pwfile=${folder}/password`,
    `--username=${superuser}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Sorts the same on every machine, regardless of its locales.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-locale',
    ...(durable ? [] : ['--no-sync']),
  ])
  await initdb.whenEnded
  if (initdb.end() !== 'ended with code 0')
    throw new Error(`The database could not be created: initdb ${initdb.end()}.\n${await lastLogLines(programs.home)}`)
}

/** Corrects the owner of a data folder that root copied or restored; otherwise PostgreSQL would refuse it. */
async function repairOwner(folder: string, account: Account | null): Promise<void> {
  const { uid, mode } = await stat(folder)
  if (account && uid !== account.uid) await giveTo(account, folder)
  if ((mode & 0o077) !== 0) await chmod(folder, 0o700)
}

async function giveTo(account: Account, folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true }))
    await lchown(join(folder, name), account.uid, account.gid)
  await lchown(folder, account.uid, account.gid)
}

async function unlessThere(made: Promise<unknown>): Promise<void> {
  try {
    await made
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOTEMPTY')) throw error
  }
}

/** Returns null if the file does not exist. */
async function readText(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}
