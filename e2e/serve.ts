// Starts the built portal for one run of the browser tests, on a free port, with a temporary data folder. Prints one
// line with the URL and folders.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../scripts/install.mjs'
import { findRunningPostgres } from '../server/src/platform/embedded-postgres/embedded-postgres.ts'
import { startMailServer } from './mail-server.ts'

const root = join(import.meta.dirname, '..')

await build()
// A page of another product, which the portal shows in a frame.
const moduleUrl = await serveModulePage()
const dataDir = await mkdtemp(join(tmpdir(), 'portico-e2e-'))
const smtpUrl = await startMailServer(join(dataDir, 'mailbox'))
const port = await freePort()
const url = `http://localhost:${port}`
const portal = spawn(process.execPath, ['server/src/main.ts'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'pipe'],
  env: {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: url,
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    SMTP_URL: smtpUrl,
    // Servers started by tests receive deliveries.
    OUTBOUND_ALLOW: '127.0.0.1',
    MAIL_FROM: 'Portico <portal@example.com>',
    PORTICO_DEMO: 'off',
    MODULE_URLS: JSON.stringify({ crm: moduleUrl }),
    PORTICO_ADMIN_EMAIL: 'admin@example.com',
    PORTICO_ADMIN_PASSWORD: 'a password for tests only',
  },
})
const log = createWriteStream(join(dataDir, 'portal.log'))
portal.stdout.pipe(log)
portal.stderr.pipe(process.stderr)
portal.stderr.on('data', (piece) => log.write(piece))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => portal.kill(signal))
portal.once('exit', (code) => void end(code ?? 1))

await ready(portal)
process.stdout.write(`portal: ${url} data: ${dataDir} database: ${await findRunningPostgres(dataDir)}\n`)

async function serveModulePage(): Promise<string> {
  const server = createHttpServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>CRM</title><h1>The customers of another product</h1>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The page of a module is not served.')
  // Do not wait for open connections at the end.
  server.unref()
  return `http://127.0.0.1:${address.port}/crm`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (typeof address !== 'object' || address === null) throw new Error('There is no free port.')
  return address.port
}

async function ready(process: ChildProcess): Promise<void> {
  while (process.exitCode === null) {
    const reply = await fetch(`${url}/readyz`).catch(() => null)
    if (reply?.ok) return
    await sleep(100)
  }
}

async function end(code: number): Promise<void> {
  await rm(dataDir, { recursive: true, force: true })
  process.exit(code)
}
