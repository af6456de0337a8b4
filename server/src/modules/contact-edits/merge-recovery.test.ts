import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { allRows, askRestore, countKept, listDeletes, readDelete, runRestoreOf } from '#test/resources/delete-undos.ts'
import { importAtOnce } from '#test/resources/import-undos.ts'
import { contactsOf, withPurl } from '#test/resources/imports.ts'
import { addThreeEvents, askMerge, merged, twins } from '#test/resources/merges.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { killProcessWhen, startJob } from '#test/processes/job-process.ts'

// A merge, and its undo, that end in the middle of their writes: at each of these tables.

let portal: TestPortal
beforeAll(async () => {
  // No worker in this process: the tests run the job.
  portal = await startPortal()
})
afterAll(() => portal.close())

async function memberToMerge() {
  const member = await portal.member(await portal.account())
  await importAtOnce(portal, member, twins, withPurl)
  const contacts = await contactsOf(member)
  const [a = '', b = ''] = ['a@x', 'b@x'].map((email) => contacts.find(({ Email }) => Email === email)?._id)
  await addThreeEvents(portal, member, a, b)
  return { member, a, b }
}

/** Keeps writes out of a table of the account, as long as `work` takes. */
async function whileClosed({ account }: Member, table: string, work: () => Promise<void>): Promise<void> {
  const client = await portal.parts.database.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`LOCK TABLE account_${account}.${table} IN SHARE MODE`)
    await work()
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Ends the connection that waits for a table. Returns whether there was one. */
async function endWaiting(): Promise<boolean> {
  const { rows } = await portal.parts.database.pool.query<{ ended: boolean }>(
    `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.some(({ ended }) => ended)
}

/** Starts the work again until its connection was ended while it waited. Returns the outcome of that one. */
async function endedInTheMiddle<Outcome>(work: () => Promise<Outcome>): Promise<Outcome> {
  for (;;) {
    let isDone = false
    let wasEnded = false
    const outcome = work().finally(() => {
      isDone = true
    })
    while (!isDone && !wasEnded) wasEnded = await endWaiting()
    const result = await outcome
    // Work that waits too long gives up by itself.
    if (wasEnded) return result
  }
}

test('a merge whose connection ends at any of its writes changes nothing, and can be repeated', async () => {
  const { member, a, b } = await memberToMerge()
  const before = await allRows(portal, member)
  for (const table of ['deleted_rows', 'events', 'merged_keys', 'contacts', 'contact_changes']) {
    await whileClosed(member, table, async () => {
      expect(await endedInTheMiddle(() => askMerge(member, a, b))).toMatchObject({ status: 503 })
      expect(await allRows(portal, member)).toEqual(before)
      expect(await countKept(portal, member)).toBe(0)
      expect(await listDeletes(member)).toEqual([])
    })
  }
  expect(await merged(member, a, b)).toMatchObject({ movedEvents: 2 })
})

test('the undo of a merge that ends at any of its writes changes nothing, and is resumed', async () => {
  const { member, a, b } = await memberToMerge()
  const before = await allRows(portal, member)
  const { delete: id } = await merged(member, a, b)
  const after = await allRows(portal, member)
  expect(await askRestore(member, id)).toMatchObject({ status: 202 })
  const { pool } = portal.parts.database
  const undo = () => runRestoreOf(portal, member, id).catch(() => undefined)
  const kill = async () => {
    const worker = startJob(portal, 'restore-process.ts', member.account, id)
    expect(await killProcessWhen(worker, async () => (await lockWaits(pool)).length > 0)).toBe(true)
    await vi.waitUntil(async () => (await lockWaits(pool)).length === 0, { timeout: 10_000, interval: 20 })
  }
  for (const table of ['events', 'contact_changes', 'contacts']) {
    await whileClosed(member, table, async () => {
      await (table === 'contact_changes' ? kill() : endedInTheMiddle(undo))
      expect(await allRows(portal, member)).toEqual(after)
      expect(await countKept(portal, member)).toBeGreaterThan(0)
      expect((await readDelete(member, id)).restore).toMatchObject({ status: 'processing', restoredRecords: 0 })
    })
  }
  await runRestoreOf(portal, member, id)
  expect((await readDelete(member, id)).restore).toMatchObject({ status: 'completed', restoredRecords: 1 })
  const end = await allRows(portal, member)
  // The history says both.
  expect({ ...end, contact_changes: [] }).toEqual({ ...before, contact_changes: [] })
  expect(await countKept(portal, member)).toBe(0)
})
