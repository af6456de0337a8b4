import { once } from 'node:events'
import type { DedupKeys, KeyComputation } from '@portico/contract/dedup-keys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { killProcessWhen, startJob } from '#test/processes/job-process.ts'
import { importAtOnce } from '#test/resources/import-undos.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the test starts its own and kills it.
  portal = await startPortal()
})
afterAll(() => portal.close())

const path = '/contact-service/v1/dedup-keys'
const contacts = 60_000

test(
  'killing the computation repeatedly gives every contact its key once, and counts each duplicate once',
  { timeout: 180_000 },
  async () => {
    const member = await portal.member(await portal.account())
    let file = 'Email,Name\n'
    // Each hundredth contact has the address of another one.
    for (let at = 0; at < contacts; at++) file += `p${at % 100 === 99 ? at - 99 : at}@x,Person ${at}\n`
    await importAtOnce(portal, member, file)
    const { _id } = (await member.post(path, { dedupColumns: ['Email'] })).json<KeyComputation>()
    const read = async () => (await member.get(path)).json<DedupKeys>().computation
    // In SQL, which is quick: the work ends within seconds.
    const done = async () => {
      const { rows } = await portal.parts.database.pool.query<{ done: string }>(
        `SELECT processed_records AS done FROM account_${member.account}.key_computations`,
      )
      return Number(rows[0]?.done)
    }
    const start = () => startJob(portal, 'key-computation-process.ts', member.account, _id)
    for (let kills = 0; kills < 2;) {
      const reached = await done()
      expect(reached).toBeLessThan(contacts)
      kills += Number(await killProcessWhen(start(), async () => (await done()) > reached))
    }
    expect(await done()).toBeLessThan(contacts)
    await Promise.all([start(), start()].map((worker) => once(worker, 'exit')))
    const duplicates = contacts / 100
    expect(await read()).toMatchObject({
      status: 'completed',
      processedRecords: contacts,
      keyedRecords: contacts - duplicates,
      duplicateRecords: duplicates,
    })
    const { rows } = await portal.parts.database.pool.query(
      `SELECT count(*)::int AS keys, count(DISTINCT dedup_hash)::int AS hashes FROM account_${member.account}.contact_keys`,
    )
    expect(rows).toEqual([{ keys: contacts - duplicates, hashes: contacts - duplicates }])
    const next = await importAtOnce(portal, member, file, { dedupColumns: ['Email'] })
    expect(next).toMatchObject({ status: 'completed', createdRecords: 0 })
  },
)
