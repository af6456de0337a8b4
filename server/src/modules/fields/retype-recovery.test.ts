import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Changes of types whose worker dies, while people search, edit, add and delete contacts.

const service = '/contact-service/v1'

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the tests start their own, and kill it.
  portal = await startPortal()
})
afterAll(() => portal.close())

// Polling without a pause would take a processor from the job under test.
const lookEveryMs = 5
const contactCount = 60_000
const firstId = 1n << 33n

/** Contacts whose text counts from 0, with a leading zero. Every thousandth is no number. */
async function manyContacts(member: Member): Promise<string> {
  const schema = `account_${member.account}`
  const { pool } = portal.parts.database
  await pool.query(`ALTER TABLE ${schema}.contacts ADD COLUMN c1 text`)
  await pool.query(
    `INSERT INTO ${schema}.fields (id, name, type, part, created_at) VALUES (1, 'Code', 'string', 1, now())`,
  )
  await pool.query(`UPDATE ${schema}.field_numbers SET last = 1`)
  await pool.query(
    `INSERT INTO ${schema}.contacts (id, import_id, c1)
     SELECT (1::bigint << 33) + i, 1, CASE WHEN i % 1000 = 999 THEN 'none ' || i ELSE '0' || i END
     FROM generate_series(0, ${contactCount - 1}) AS i`,
  )
  await pool.query(`INSERT INTO ${schema}.contact_keys (id) SELECT id FROM ${schema}.contacts`)
  return schema
}

const codeOf = async (member: Member) => {
  const [code] = (await member.get(`${service}/fields/details`)).json<FieldEntry[]>()
  if (!code) throw new Error('the field is gone')
  return code
}

function startProcess({ account }: Member, id: string): ChildProcess {
  const file = join(import.meta.dirname, '../../../test/processes/retype-process.ts')
  return spawn(process.execPath, [file, String(account), id], {
    stdio: 'ignore',
    env: { ...process.env, DATABASE_URL: portal.parts.database.url },
  })
}

async function begin(member: Member, reading: object): Promise<string> {
  expect(await member.put(`${service}/fields/1/type`, { reading })).toMatchObject({ status: 200 })
  const { rows } = await portal.parts.database.pool.query<{ id: string }>(
    `SELECT max(id)::text AS id FROM account_${member.account}.field_retypes`,
  )
  return rows[0]?.id ?? ''
}

/** Statements that a change of a type has to wait for, in the order of its steps. */
const waits = {
  newColumn: (schema: string) => `LOCK TABLE ${schema}.contacts IN ACCESS SHARE MODE`,
  batchAt: (at: number) => (schema: string) =>
    `SELECT FROM ${schema}.contacts WHERE id = ${firstId + BigInt(at)} FOR UPDATE`,
  end: (_schema: string, { account }: Member) =>
    `SELECT pg_advisory_xact_lock_shared(${accountLock('fieldColumns', account)})`,
}

/** Kills a worker of the change at each of some steps, where it waits for others, then lets two at once end it. */
async function killAndFinish(
  member: Member,
  id: string,
  steps: readonly ((schema: string, member: Member) => string)[],
  betweenKills: (kill: number) => Promise<void>,
) {
  for (const [at, step] of steps.entries()) {
    await killAt(member, id, step)
    await betweenKills(at + 1)
  }
  await Promise.all([startProcess(member, id), startProcess(member, id)].map((worker) => once(worker, 'exit')))
  // The one that came second has taken the change from the first.
  if ((await codeOf(member)).typeChange !== null) await once(startProcess(member, id), 'exit')
  expect(await codeOf(member)).toMatchObject({ typeChange: null })
}

/** Runs a worker until it waits for what a step needs, and kills it there. */
async function killAt(member: Member, id: string, step: (schema: string, member: Member) => string): Promise<void> {
  const { pool } = portal.parts.database
  const holder = await pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(step(`account_${member.account}`, member))
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const worker = startProcess(member, id)
    const exited = once(worker, 'exit')
    while (worker.exitCode === null && !worker.killed) {
      const { rows: waiting } = await pool.query(
        'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
        [rows[0]?.pid],
      )
      if (waiting.length > 0) worker.kill('SIGKILL')
      else await sleep(lookEveryMs)
    }
    await exited
    expect(worker.killed).toBe(true)
    await holder.query('ROLLBACK')
  } finally {
    holder.release()
  }
}

test(
  'killing the worker at each step still converts all values, including concurrent edits',
  { timeout: 180_000 },
  async () => {
    const member = await portal.member(await portal.account())
    const schema = await manyContacts(member)
    const { pool } = portal.parts.database
    const put = (at: number, from: string, to: string | null) =>
      member.put(`${service}/offers/${firstId + BigInt(at)}`, { changes: { Code: { from, to } } })

    const id = await begin(member, { type: 'number' })
    const steps = [waits.newColumn, waits.batchAt(30_000), waits.end]
    await killAndFinish(member, id, steps, async (kill) => {
      // Searches have the old type alone, and edits are of it. The first contacts have been converted already.
      const page = (await member.get(`${service}/offers?limit=50`)).json<{ Code: unknown }[]>()
      expect(page.filter(({ Code }) => typeof Code === 'number')).toEqual([])
      expect(await put(kill, `0${kill}`, `edited ${kill}`)).toMatchObject({ status: 200 })
      expect(await put(10 + kill, `0${10 + kill}`, `00${kill}.50`)).toMatchObject({ status: 200 })
      expect(await put(20 + kill, `0${20 + kill}`, null)).toMatchObject({ status: 200 })
      expect(await member.post(`${service}/offers`, { values: { Code: `0${kill}0` } })).toMatchObject({ status: 201 })
      await pool.query(`DELETE FROM ${schema}.contacts WHERE id = $1`, [String(firstId + BigInt(30 + kill))])
    })
    const page = (await member.get(`${service}/offers?limit=50`)).json<{ _id: string; Code?: unknown }[]>()
    const valueAt = (at: number) => page.find(({ _id }) => _id === String(firstId + BigInt(at)))?.Code
    expect([0, 1, 2, 3, 4].map(valueAt)).toEqual([0, undefined, undefined, undefined, 4])
    expect([11, 12, 13].map(valueAt)).toEqual([1.5, 2.5, 3.5])
    expect([21, 22, 23, 24].map(valueAt)).toEqual([undefined, undefined, undefined, 24])
    const { rows } = await pool.query(
      `SELECT count(c2)::int AS numbers, sum(c2) AS sum, (SELECT count(*)::int FROM ${schema}.contacts) AS contacts,
       (SELECT count(*)::int FROM ${schema}.written_texts) AS texts FROM ${schema}.contacts`,
    )
    const all = Array.from({ length: contactCount }, (_, at) => at).filter(
      (at) => at % 1000 !== 999 && !(at >= 31 && at <= 33) && ![1, 2, 3, 11, 12, 13, 21, 22, 23].includes(at),
    )
    const sum = all.reduce((so, at) => so + at, 0) + 1.5 + 2.5 + 3.5 + 10 + 20 + 30
    // Each text has a zero to lose, but those that were emptied. Contacts added by hand are three.
    expect(rows).toEqual([{ numbers: all.length + 6, sum, contacts: contactCount, texts: contactCount - 3 }])

    // And back: each text as it was, edits included.
    const back = await begin(member, { type: 'string' })
    await killAndFinish(member, back, [waits.batchAt(10_000), waits.batchAt(50_000)], async () => {})
    const { rows: texts } = await pool.query(
      `SELECT (SELECT count(*)::int FROM ${schema}.contacts WHERE c3 IS NOT DISTINCT FROM c1) AS same, count(*)::int AS contacts
     FROM ${schema}.contacts`,
    )
    expect(texts).toEqual([{ same: contactCount, contacts: contactCount }])
  },
)
