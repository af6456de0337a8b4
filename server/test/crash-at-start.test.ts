import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isRunning } from '#test/processes/main-process.ts'
import { portalFolder, type RunningPortal } from '#test/processes/running-portal.ts'

// The database server is killed in the first seconds of a start, during each of its steps.

let folder: Awaited<ReturnType<typeof portalFolder>>
beforeEach(async () => {
  folder = await portalFolder({ PORTICO_ADMIN_PASSWORD: '' })
})
afterEach(() => folder.remove())

/** Kills the current database server, unless it is `before`, once the condition is met; returns its process id. */
async function killOnce(condition: () => boolean | Promise<boolean>, before: number | null): Promise<number> {
  const pid = await vi.waitUntil(
    async () => {
      const now = await folder.postmaster()
      return now !== null && now !== before && (await condition()) ? now : false
    },
    { timeout: 60_000, interval: 5 },
  )
  process.kill(pid, 'SIGKILL')
  return pid
}

async function requireStarted(portal: RunningPortal): Promise<void> {
  await portal.ready()
  if (!isRunning(portal.child)) throw new Error(portal.output())
  expect((await fetch(`${portal.url}/readyz`)).status).toBe(200)
}

const answers = async (portal: RunningPortal, path: string): Promise<boolean> =>
  (await fetch(`${portal.url}${path}`).catch(() => null))?.ok === true
const isReady = (portal: RunningPortal): Promise<boolean> => answers(portal, '/readyz')
const acceptsConnections = async (): Promise<boolean> => (await folder.databaseUrl().catch(() => null)) !== null

test(
  'starts survive kills of the database before the first power admin exists, and show the password',
  { timeout: 200_000 },
  async () => {
    const portal = await folder.start()
    // First, tables are created; then the web server responds, and the first account and the power admin are created.
    const first = await killOnce(acceptsConnections, null)
    await killOnce(() => answers(portal, '/healthz'), first)
    await requireStarted(portal)
    const [, email, password] = /Sign in as +(\S+)\n +Password +(\S+)/.exec(portal.output()) ?? []
    const answer = await fetch(`${portal.url}/api/identity/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    // The password is correct, and has to be replaced.
    expect(await answer.json()).toMatchObject({ error: { code: 'password_temporary' } })
  },
)

test(
  'starts survive kills of the database at any moment before the portal is ready',
  { timeout: 400_000 },
  async () => {
    const first = await folder.start()
    await first.ready()
    first.child.kill('SIGTERM')
    await first.ended()
    for (const waitMs of [0, 600]) {
      const portal = await folder.start()
      const pid = await killOnce(() => true, null)
      await vi.waitUntil(acceptsConnections, { timeout: 60_000, interval: 5 })
      await sleep(waitMs)
      await killOnce(acceptsConnections, pid)
      while (!(await isReady(portal)) && isRunning(portal.child)) await sleep(20)
      expect(portal.output()).toContain('is running.')
      await requireStarted(portal)
      portal.child.kill('SIGTERM')
      expect(await portal.ended()).toBe(0)
    }
  },
)
