import { once } from 'node:events'
import type { UndoFigures } from '@portico/contract/import-undo'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { importAtOnce, readImport, runImportOf } from '#test/resources/import-undos.ts'
import { submitEvents, withPurl } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { killProcessWhen, startJob } from '#test/processes/job-process.ts'

// Undoing an import while its worker dies.

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the test starts its own and kills it.
  portal = await startPortal()
})
afterAll(() => portal.close())

const imports = '/contact-service/v1/imports'
const known = 30_000
const added = 20_000

function people(count: number, city: string): string {
  let text = 'First,Last,Email,City\n'
  for (let at = 0; at < count; at++) text += `P${at},Moor,p${at}@x,${city} ${at}\n`
  return text
}

const digestOf = async (schema: string, table: string) =>
  (
    await portal.parts.database.pool.query<{ digest: string }>(
      `SELECT count(*) || ' ' || md5(string_agg(t::text, ',' ORDER BY t.id)) AS digest FROM ${schema}.${table} AS t`,
    )
  ).rows[0]?.digest

const startProcess = ({ account }: Member, id: string) => startJob(portal, 'undo-process.ts', account, id)

test('killing the undo repeatedly still undoes the whole import once', { timeout: 180_000 }, async () => {
  const member = await portal.member(await portal.account())
  const schema = `account_${member.account}`
  const { pool } = portal.parts.database
  const contacts = async () =>
    (
      await pool.query(
        `SELECT count(*)::int AS contacts, (SELECT count(*)::int FROM ${schema}.contact_keys) AS keys,
           md5(string_agg(concat_ws('|', c.id, c1, c2, c3, c4, base_purl, purl_number), ',' ORDER BY c.id)) AS digest
         FROM ${schema}.contacts AS c JOIN ${schema}.contact_keys AS k ON k.id = c.id`,
      )
    ).rows
  await importAtOnce(portal, member, people(known, 'Bern'), withPurl)
  const before = await contacts()
  const { _id, createdRecords, updatedRecords } = await importAtOnce(
    portal,
    member,
    people(known + added, 'Rome'),
    withPurl,
  )
  expect([createdRecords, updatedRecords]).toEqual([added, known])
  expect(await member.post(`${imports}/${_id}/undo`)).toMatchObject({ status: 202 })

  const figures = async () => (await member.get(`${imports}/${_id}/undo`)).json<UndoFigures>()
  const done = async () => {
    const { removedContacts, returnedContacts } = await figures()
    return removedContacts + returnedContacts
  }
  let kills = 0
  while (kills < 4) {
    const reached = await done()
    const fewKills = kills < 2
    const isKilled = await killProcessWhen(startProcess(member, _id), async () => {
      const now = await done()
      // Two kills while created contacts are deleted, two while values are restored.
      return now > reached && (fewKills || now > added + 2000)
    })
    kills += Number(isKilled)
  }
  expect(await done()).toBeLessThan(known + added)
  await vi.waitUntil(
    async () => {
      await once(startProcess(member, _id), 'exit')
      return (await readImport(member, _id)).undo?.status === 'completed'
    },
    { timeout: 60_000, interval: 200 },
  )
  expect(await figures()).toMatchObject({
    removedContacts: added,
    returnedContacts: known,
    keptContacts: 0,
    keptValues: 0,
  })
  expect(await contacts()).toEqual(before)
  expect((await pool.query(`SELECT FROM ${schema}.import_changes`)).rowCount).toBe(0)
})

test(
  'killing the undo of an import of events repeatedly deletes each of its events once, and no other',
  { timeout: 180_000 },
  async () => {
    const member = await portal.member(await portal.account())
    const schema = `account_${member.account}`
    await importAtOnce(portal, member, people(100, 'Bern'), withPurl)
    const load = async (rows: number) => {
      let file = 'Email,event_code,event_date\n'
      for (let at = 0; at < rows; at++) file += `p${at % 100}@x,view,2026-05-01\n`
      const { _id } = await submitEvents(portal, member, file)
      await runImportOf(portal, member, _id)
      expect((await readImport(member, _id)).createdRecords).toBe(rows)
      return _id
    }
    await load(500)
    const before = await digestOf(schema, 'events')
    const id = await load(60_000)
    expect(await member.post(`${imports}/${id}/undo`)).toMatchObject({ status: 202 })
    const done = async () => (await member.get(`${imports}/${id}/undo`)).json<UndoFigures>().removedEvents
    for (let kills = 0; kills < 3;) {
      const reached = await done()
      kills += Number(await killProcessWhen(startProcess(member, id), async () => (await done()) > reached))
    }
    expect(await done()).toBeLessThan(60_000)
    await once(startProcess(member, id), 'exit')
    expect((await readImport(member, id)).undo).toMatchObject({ status: 'completed' })
    expect(await done()).toBe(60_000)
    expect(await digestOf(schema, 'events')).toBe(before)
  },
)
