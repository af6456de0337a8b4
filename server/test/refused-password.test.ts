import { readdir } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { openClient } from '#platform/database.ts'
import { withDatabase } from '#test/kit/cluster.ts'
import { portalFolder } from '#test/processes/running-portal.ts'

// Portals that are started with a refused password for the first power admin.

const refused = { PORTICO_ADMIN_PASSWORD: 'Passw0rd2026!' }
const reason = 'PORTICO_ADMIN_PASSWORD is refused: This is one of the most common passwords. Choose another one.\n'

let folder: Awaited<ReturnType<typeof portalFolder>>
beforeEach(async () => {
  folder = await portalFolder()
})
afterEach(() => folder.remove())

test('a new portal reports a refused password in one line and creates nothing', async () => {
  const portal = await folder.start(refused)
  expect(await portal.ended()).toBe(1)
  expect(portal.output()).toBe(reason)
  expect(await readdir(folder.dataDir)).toEqual([])
  const next = await folder.start()
  await next.ready()
  expect((await fetch(`${next.url}/readyz`)).status).toBe(200)
})

test('a portal with an empty external database reports it and creates nothing there', async () => {
  const { url: server } = inject('testServer')
  const name = `portico_empty_${randomUUID().slice(0, 8)}`
  const admin = openClient(server, 'test')
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const database = openClient(withDatabase(server, name), 'test')
  try {
    const portal = await folder.start({ ...refused, DATABASE_URL: withDatabase(server, name) })
    expect(await portal.ended()).toBe(1)
    expect(portal.output()).toBe(reason)
    expect(await readdir(folder.dataDir)).toEqual([])
    await database.connect()
    const { rows } = await database.query(`SELECT nspname FROM pg_namespace WHERE nspname IN ('portico', 'jobs')`)
    expect(rows).toEqual([])
  } finally {
    await database.end()
    await admin.query(`DROP DATABASE ${name}`)
    await admin.end()
  }
})

test('an installation with a power admin ignores the password and starts', async () => {
  const first = await folder.start()
  await first.ready()
  first.child.kill('SIGTERM')
  await first.ended()
  const second = await folder.start(refused)
  await second.ready()
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
})

test('an installation without a power admin ends before it listens', async () => {
  const first = await folder.start()
  await first.ready()
  const database = openClient(await folder.databaseUrl(), 'test')
  await database.connect()
  await database.query('DELETE FROM portico.identities')
  await database.query('DELETE FROM portico.persons')
  await database.end()
  first.child.kill('SIGTERM')
  await first.ended()
  const second = await folder.start(refused)
  expect(await second.ended()).toBe(1)
  expect(second.output()).toContain(reason)
  expect(second.output()).not.toContain('Server listening')
})
