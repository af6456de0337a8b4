import { type ChildProcess, spawn } from 'node:child_process'
import { createReadStream, readFileSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import pg from 'pg'

const root = join(import.meta.dirname, '../..')
const password = 'correct horse battery staple 9041'

/** A real portal in a separate process, with its own data folder and PostgreSQL, used over HTTP. */
export type Portal = Client & {
  /** URL of its PostgreSQL, for the references. */
  databaseUrl: string
  memory: MemoryWatch
  /** Creates another client, in a new, empty account. */
  anotherClient: () => Promise<Client>
  stop: () => Promise<void>
}

/** A client of the portal over HTTP. */
export type Client = {
  port: number
  /** The client's account, and the token for it. */
  account: number
  token: string
  get: <T>(path: string) => Promise<T>
  post: <T>(path: string, body: unknown) => Promise<T>
  put: <T>(path: string, body: unknown) => Promise<T>
  /** Uploads a file by a signed link. */
  upload: (path: string, name: string) => Promise<void>
  /** Downloads a file by a signed link, into a file if `to` is its path, and returns its size in bytes. */
  download: (url: string, to?: string) => Promise<number>
  /** Creates an empty account and enters it. */
  enterNewAccount: () => Promise<void>
  /** Signs in again and returns the token of that session, for the same account. */
  signInAgain: () => Promise<string>
}

/** Peak memory of the process since `reset`, in bytes (resident, without the database). */
type MemoryWatch = { reset: () => void; peakBytes: () => number; stop: () => void }

let started = 0

/**
 * `environment`: settings in addition to the usual ones, such as `DATABASE_URL` for a PostgreSQL that is not embedded.
 */
export async function startPortal(environment: Record<string, string> = {}): Promise<Portal> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-bench-'))
  const port = 20_000 + ((process.pid + ++started) % 10_000)
  const { portalEnvironment, portalFlags } = await readStart()
  const server = spawn(process.execPath, [...portalFlags, 'server/src/main.ts'], {
    cwd: root,
    // BENCH_LOG=1 shows the log, with the times of requests.
    stdio: ['ignore', process.env['BENCH_LOG'] ? 'inherit' : 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...portalEnvironment,
      PORT: String(port),
      DATA_DIR: dataDir,
      PORTICO_DEMO: 'off',
      PORTICO_ADMIN_EMAIL: 'bench@example.com',
      PORTICO_ADMIN_PASSWORD: password,
      ...environment,
    },
  })
  await ready(`http://127.0.0.1:${port}`, server)
  const memory = watchMemory(server)
  const settings = { ...environment, DATA_DIR: dataDir }
  const client = createClient(port, settings)
  await client.enterNewAccount()
  return Object.assign(client, {
    databaseUrl: environment['DATABASE_URL'] ?? (await embeddedUrl(dataDir)),
    memory,
    async anotherClient() {
      const another = createClient(port, settings)
      await another.enterNewAccount()
      return another
    },
    async stop() {
      memory.stop()
      server.kill('SIGTERM')
      await new Promise((resolve) => server.once('exit', resolve))
      await rm(dataDir, { recursive: true, force: true })
    },
  })
}

/** Returns the flags and environment with which `npm start` starts the portal. */
async function readStart(): Promise<{ portalFlags: string[]; portalEnvironment: Record<string, string> }> {
  return (await import(join(root, 'scripts/run.mjs'))) as Awaited<ReturnType<typeof readStart>>
}

let accounts = 0

function createClient(port: number, settings: Record<string, string>): Client {
  const base = `http://127.0.0.1:${port}`
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { authorization: `Bearer ${client.token}` }
    const reply = await fetch(`${base}/api${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as T
  }
  const client: Client = {
    port,
    account: 0,
    token: '',
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
    put: (path, body) => ask('PUT', path, body),
    async upload(path, name) {
      const { url } = await client.get<{ url: string }>(`/contact-service/v1/uploads/${name}`)
      await sendFile(new URL(url, base), path)
    },
    async download(url, to) {
      const reply = await fetch(new URL(url, base))
      if (!reply.ok || !reply.body) throw new Error(`download: ${reply.status}`)
      if (to !== undefined) {
        await writeFile(to, reply.body)
        return (await stat(to)).size
      }
      let bytes = 0
      for await (const chunk of reply.body) bytes += chunk.length
      return bytes
    },
    async enterNewAccount() {
      client.account = await createAccount(settings, `Bench ${++accounts}`)
      client.token = await client.signInAgain()
    },
    async signInAgain() {
      const { token } = await signIn(base)
      const reply = await fetch(`${base}/api/identity/v1/login/${client.account}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      if (!reply.ok) throw new Error(`sign-in: ${reply.status} ${await reply.text()}`)
      return ((await reply.json()) as { token: string }).token
    },
  }
  return client
}

async function sendFile(url: URL, path: string): Promise<void> {
  const { size } = await stat(path)
  const reply = await fetch(url, {
    method: 'PUT',
    headers: { 'content-length': String(size) },
    body: Readable.toWeb(createReadStream(path)) as ReadableStream,
    // Node's fetch requires this for streams; its types lack it.
    duplex: 'half',
  } as RequestInit)
  if (!reply.ok) throw new Error(`upload: ${reply.status} ${await reply.text()}`)
}

async function ready(base: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error('The portal ended before it was ready.')
    const reply = await fetch(`${base}/readyz`).catch(() => null)
    if (reply?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function signIn(base: string): Promise<{ token: string }> {
  const reply = await fetch(`${base}/api/identity/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'bench@example.com', password }),
  })
  return (await reply.json()) as { token: string }
}

/** Creates an account with the command line, while the server runs. */
async function createAccount(settings: Record<string, string>, name: string): Promise<number> {
  const cli = spawn(process.execPath, ['server/src/cli.ts', 'accounts', 'create', '--name', name], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...settings },
  })
  let text = ''
  for await (const chunk of cli.stdout) text += String(chunk)
  return (JSON.parse(text) as { Key: number }).Key
}

/** Returns the URL of the portal's own PostgreSQL, whose role may flush it to disk between measurements. */
async function embeddedUrl(dataDir: string): Promise<string> {
  const folder = join(root, 'server/src/platform/embedded-postgres')
  const { findRunningPostgres } = (await import(join(folder, 'embedded-postgres.ts'))) as {
    findRunningPostgres: (dataDir: string) => Promise<string | null>
  }
  const { findCluster, superuserUrl } = (await import(join(folder, 'cluster.ts'))) as {
    findCluster: (dataDir: string) => Promise<object | null>
    superuserUrl: (cluster: object, port: number, name: string) => string
  }
  const [url, cluster] = [await findRunningPostgres(dataDir), await findCluster(dataDir)]
  if (!url || !cluster) throw new Error('The embedded PostgreSQL of the portal was not found.')
  const { port, username } = new URL(url)
  const client = new pg.Client({ connectionString: superuserUrl(cluster, Number(port), 'postgres') })
  await client.connect()
  try {
    await client.query(`GRANT pg_checkpoint TO ${pg.escapeIdentifier(username)}`)
  } finally {
    await client.end()
  }
  return url
}

function watchMemory(server: ChildProcess): MemoryWatch {
  let peak = 0
  const read = () => {
    try {
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
      peak = Math.max(peak, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024)
    } catch {
      // The process has ended; keep the last value.
    }
  }
  const timer = setInterval(read, 50)
  return { reset: () => void (peak = 0), peakBytes: () => peak, stop: () => clearInterval(timer) }
}
