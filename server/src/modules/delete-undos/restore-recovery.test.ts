import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askRestore, countKept, listDeletes, readDelete } from '#test/resources/delete-undos.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { killProcessWhen, startJob } from '#test/processes/job-process.ts'

// A bulk delete and its undo, whose workers die.

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the test starts its own and kills it.
  portal = await startPortal()
})
afterAll(() => portal.close())

const contacts = 30_000
const targets = 20_000

/** Contacts whose rank counts from 0, with keys, an event and a change each. */
async function manyContacts(schema: string): Promise<void> {
  const { pool } = portal.parts.database
  await pool.query(`ALTER TABLE ${schema}.contacts ADD COLUMN c1 double precision`)
  await pool.query(
    `INSERT INTO ${schema}.fields (id, name, type, part, created_at) VALUES (1, 'Rank', 'number', 1, now())`,
  )
  const id = '(1::bigint << 33) + i'
  const series = `generate_series(0, ${contacts - 1}) AS i`
  await pool.query(`INSERT INTO ${schema}.contacts (id, import_id, c1) SELECT ${id}, 1, i FROM ${series}`)
  await pool.query(
    `INSERT INTO ${schema}.contact_keys (id, dedup_hash, purl_scope, base_purl, purl_number)
     SELECT ${id}, md5(i::text)::uuid, 0, 'p', i + 1 FROM ${series}`,
  )
  await pool.query(
    `INSERT INTO ${schema}.events (id, contact_id, event_code, event_date, is_trigger)
     SELECT gen_random_uuid(), ${id}, 'open', now(), false FROM ${series}`,
  )
  await pool.query(
    `INSERT INTO ${schema}.contact_changes (contact_id, at, kind, actor, fields)
     SELECT ${id}, now(), 'edited', 'ann', '[{"field": 1, "name": "Rank", "from": null, "to": 1}]' FROM ${series}`,
  )
}

/** Kills workers at different points of their work, then lets the last ones finish. */
async function killAgainAndAgain(start: () => ChildProcess, done: () => Promise<number>): Promise<void> {
  for (let kills = 0; kills < 3;) {
    const reached = await done()
    const isKilled = await killProcessWhen(start(), async () => {
      const now = await done()
      return now > reached && now < targets
    })
    kills += Number(isKilled)
  }
  expect(await done()).toBeLessThan(targets)
  // Two concurrent processes take turns.
  await Promise.all([start(), start()].map((worker) => once(worker, 'exit')))
}

test('killing the delete and its undo repeatedly restores everything', { timeout: 300_000 }, async () => {
  const member = await portal.member(await portal.account())
  const schema = `account_${member.account}`
  await manyContacts(schema)
  const digest = async () => {
    const digestOf = async (table: string) => {
      const { rows } = await portal.parts.database.pool.query<{ digest: string }>(
        `SELECT count(*) || ' ' || md5(string_agg((to_jsonb(t) - 'updated_at')::text, ',' ORDER BY t.id)) AS digest
         FROM ${schema}.${table} AS t`,
      )
      return rows[0]?.digest
    }
    return Promise.all(['contacts', 'contact_keys', 'events', 'contact_changes'].map(digestOf))
  }
  const before = await digest()
  const start = (script: 'delete-process.ts' | 'restore-process.ts', id: string) => () =>
    startJob(portal, script, member.account, id)

  const filter = [{ $match: { Rank: { $lt: targets } } }]
  const asked = member.delete('/contact-service/v1/offers', { filter, deletedRecords: targets })
  await expect.poll(() => listDeletes(member)).toHaveLength(1)
  const [{ _id } = { _id: '' }] = await listDeletes(member)
  await killAgainAndAgain(start('delete-process.ts', _id), async () => (await readDelete(member, _id)).processedRecords)
  expect((await asked).body).toEqual({ deletedCount: targets })
  expect(await readDelete(member, _id)).toMatchObject({ status: 'completed', restorableRecords: targets })
  const [left] = await digest()
  expect(left).toMatch(/^10000 /)

  expect(await askRestore(member, _id)).toMatchObject({ status: 202 })
  await killAgainAndAgain(
    start('restore-process.ts', _id),
    async () => (await readDelete(member, _id)).restore?.restoredRecords ?? 0,
  )
  expect((await readDelete(member, _id)).restore).toMatchObject({
    status: 'completed',
    restoredRecords: targets,
    missingRecords: 0,
  })
  expect(await digest()).toEqual(before)
  expect(await countKept(portal, member)).toBe(0)
})
