import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Import } from '@portico/contract/imports'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { underWay } from '#test/kit/every-job.ts'
import { submit } from '#test/resources/imports.ts'
import { openPortal } from '#test/kit/portal.ts'
import { portalFolder } from '#test/processes/running-portal.ts'

// Portals that are started and stopped on one data folder, as processes.

let folder: Awaited<ReturnType<typeof portalFolder>>
beforeEach(async () => {
  folder = await portalFolder()
})
afterEach(() => folder.remove())

test('of two portals started at once on a new folder, one runs, and the other ends with its name', async () => {
  const both = await Promise.all([folder.start(), folder.start()])
  await Promise.all(both.map(({ ready }) => ready()))
  const [first] = both.filter(({ output }) => output().includes('is running.'))
  const [second] = both.filter((portal) => portal !== first)
  if (!first || !second) throw new Error(both.map(({ output }) => output()).join('\n'))
  expect(await second.ended()).toBe(1)
  const inUse = `${folder.dataDir} is in use by process ${first.child.pid}. Stop that process first, or set DATA_DIR to another folder.\n`
  expect(second.output()).toBe(inUse)
  const third = await folder.start()
  expect(await third.ended()).toBe(1)
  expect(third.output()).toBe(inUse)
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
  first.child.kill('SIGTERM')
  expect(await first.ended()).toBe(0)
  const next = await folder.start()
  await next.ready()
  expect((await fetch(`${next.url}/readyz`)).status).toBe(200)
})

test.runIf(process.platform === 'linux')('the request thread and the job thread each have a watchdog', async () => {
  const portal = await folder.start()
  await portal.ready()
  const tasks = `/proc/${portal.child.pid}/task`
  const names = async () =>
    (await Promise.all((await readdir(tasks)).map((task) => readFile(`${tasks}/${task}/comm`, 'utf8')))).join('')
  await vi.waitUntil(async () => (await names()).includes('jobs\n'))
  await expect.poll(async () => (await names()).match(/watchdog/g)).toHaveLength(2)
})

const rows = 150_000
const file = (): string => `Email,City\n${Array.from({ length: rows }, (_, at) => `p${at}@x.org,Bern\n`).join('')}`

test('an import stops with the portal within ten seconds, and resumes after the next start', async () => {
  const first = await folder.start()
  await first.ready()
  const portal = await openPortal(folder.dataDir, await folder.databaseUrl())
  const member = await portal.member(await portal.account())
  const { _id } = await submit(portal, member, file(), { dedupColumns: ['Email'] })
  const path = `/contact-service/v1/imports/${_id}`
  const current = async () => (await member.get(path)).json<Import>()
  await vi.waitUntil(async () => (await current()).processedRecords > 0, { timeout: 30_000, interval: 10 })
  expect(underWay).toContain((await current()).status)
  await portal.close()

  const logged = first.output().length
  const asked = performance.now()
  first.child.kill('SIGTERM')
  expect(await first.ended()).toBe(0)
  expect(performance.now() - asked).toBeLessThan(10_000)
  const lines = first
    .output()
    .slice(logged)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; err?: Error })
  expect(
    lines.map(({ msg, err }) => msg + (err ? `: ${err.message}` : '')).filter((line) => line !== 'import step'),
  ).toEqual(['Stopping. Running jobs go on after the next start.'])

  const second = await folder.start()
  await second.ready()
  const again = await openPortal(folder.dataDir, await folder.databaseUrl())
  const later = async () => (await again.holder(member.token).get(path)).json<Import>()
  await vi.waitUntil(async () => !underWay.includes((await later()).status), { timeout: 40_000, interval: 100 })
  expect(await later()).toMatchObject({ status: 'completed', recoveryCount: 0, createdRecords: rows })
  await again.close()
})

test('requests cut off by a stop are not errors', async () => {
  const portal = await folder.start()
  await portal.ready()
  const second = await openPortal(folder.dataDir, await folder.databaseUrl())
  const { token } = await second.member(await second.account())
  await second.close()
  const headers = { authorization: `Bearer ${token}` }
  const ask = () => fetch(`${portal.url}/api/identity/v1/profile/sessions`, { headers }).catch(() => null)
  let isOver = false
  const askAgain = async () => {
    while (!isOver) await ask()
  }
  const asking = Array.from({ length: 60 }, askAgain)
  const logged = portal.output().length
  portal.child.kill('SIGTERM')
  expect(await portal.ended()).toBe(0)
  isOver = true
  await Promise.all(asking)
  const lines = portal.output().slice(logged).trim().split('\n')
  const problems = lines.map((line) => JSON.parse(line) as { level: number }).filter(({ level }) => level > 30)
  expect(problems).toEqual([])
})

test('a portal whose database keeps failing ends with one line and exit code 69', async () => {
  const portal = await folder.start()
  await portal.ready()
  const { writeFile } = await import('node:fs/promises')
  await writeFile(join(folder.dataDir, 'postgres/cluster/postgresql.auto.conf'), 'no_such_setting = on\n')
  const pid = await folder.postmaster()
  if (pid) process.kill(pid, 'SIGKILL')
  expect(await portal.ended()).toBe(69)
  const lines = portal.output().trim().split('\n')
  expect(lines.filter((line) => line.includes('The database cannot be kept running'))).toEqual([
    expect.stringMatching(
      /^The database cannot be kept running: 10 failures in a row\. PostgreSQL did not start: .*no_such_setting/,
    ),
  ])
  expect(await readFile(join(folder.dataDir, 'postgres/log'), 'utf8')).toContain('no_such_setting')
})
