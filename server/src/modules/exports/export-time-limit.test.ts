import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runExport } from '#exports'
import { addContacts } from '#test/resources/contacts.ts'
import { createExport, exportDraft, exportsPath } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { exportTimeLimit, watchOutput } from './export-time-limit.ts'

// Filters that never finish for a single contact, and files that take long for good reasons.

let portal: TestPortal
let member: Member
const letters = Array.from({ length: 3000 }, (_, at) => 'abcdefgh'[(at * at * 7 + at * 3) % 8]).join('')

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { Name: 'string', Note: 'string' }, [
    { Name: 'Ada', Note: letters },
    { Name: 'Bob', Note: 'short' },
  ])
})
afterAll(() => portal.close())

const run = (id: string, more: Partial<Parameters<typeof runExport>[0]> = {}) =>
  runExport({ ...portal.parts, ...more }, member.account, id, new AbortController().signal)
const statusOf = async (id: string) => (await member.get(`${exportsPath}/${id}`)).body

test('a filter that never finishes ends the export with a reason and leaves no statement running', async () => {
  const filter = [{ $match: { Note: { $regex: '^(.+)(.+)(.+)(.+)\\4\\3\\2\\1$' } } }]
  const { _id } = await createExport(member, exportDraft(['Name'], { aggregateQuery: JSON.stringify(filter) }))
  await run(_id, { limit: { baseMs: 1000, msPerContact: 3 } })
  expect(await statusOf(_id)).toMatchObject({
    status: 'rejected',
    recoveryError:
      'The filter takes too long: its rows were not found within a minute. Simplify its regular expressions, or ' +
      'begin it with a condition that leaves fewer contacts.',
  })
  const { rows } = await portal.parts.database.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%matched_rows%' AND state = 'active'
       AND pid <> pg_backend_pid()`,
  )
  expect(rows).toEqual([])
})

test('slow storage does not count against the filter', async () => {
  const { _id } = await createExport(member, exportDraft(['Name', 'Note']))
  const { storage } = portal.parts
  const slow: typeof storage = {
    ...storage,
    put: async (...values) => {
      await sleep(2500)
      return storage.put(...values)
    },
  }
  await run(_id, { storage: slow, limit: { baseMs: 1000, msPerContact: 0 } })
  expect(await statusOf(_id)).toMatchObject({ status: 'completed' })
})

test('missing output is detected unless it is held up, with a limit that grows with the account', async () => {
  const seen: string[] = []
  let isHeldUp = true
  const watch = watchOutput(
    100,
    () => isHeldUp,
    () => void seen.push('stuck'),
  )
  await sleep(400)
  expect(seen).toEqual([])
  isHeldUp = false
  await expect.poll(() => seen.length, { timeout: 5000 }).toBeGreaterThan(0)
  watch.end()
  const hours = (contacts: number) => (exportTimeLimit.baseMs + exportTimeLimit.msPerContact * contacts) / 3_600_000
  expect(hours(1)).toBeLessThan(0.2)
  expect(hours(10_000_000)).toBeGreaterThan(8)
})
