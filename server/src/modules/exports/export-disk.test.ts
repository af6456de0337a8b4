import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runExport } from '#exports'
import { inTransaction } from '#platform/database.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { createExport, downloadExport, exportDraft, readExport } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { selectMatches } from './export-file.queries.ts'
import { readSelection } from './export-stages.service.ts'

// The disk that an export takes, and what follows when it is full.

let portal: TestPortal
let member: Member
beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  await addContacts(portal.parts.database, member.account, { City: 'string', Note: 'string' }, [
    { City: 'Rome', Note: 'x'.repeat(10_000) },
    { City: 'Oslo', Note: 'y'.repeat(10_000) },
    { City: 'Bath', Note: 'short' },
  ])
})
afterAll(() => portal.close())

const run = async (id: string, more: Partial<Parameters<typeof runExport>[0]> = {}) => {
  await runExport({ ...portal.parts, ...more }, member.account, id, new AbortController().signal).catch(() => {})
  return readExport(member, id)
}

/** Groups of which `copies` columns have the same text. */
const repeated = (copies: number) => {
  const names = Array.from({ length: copies }, (_copy, at) => `Note ${at}`)
  const stages = [
    { $group: { _id: '$City', note: { $max: '$Note' } } },
    { $addFields: Object.fromEntries(names.map((name) => [name, '$note'])) },
  ]
  return { names: ['_id', ...names], filter: JSON.stringify(stages) }
}
const tooLarge = 'The rows of this export are too large together. Ask for fewer fields or fewer groups.'

describe('values of groups', () => {
  const create = (copies: number) => {
    const { names, filter } = repeated(copies)
    return createExport(member, exportDraft(names, { aggregateQuery: filter }))
  }

  test('beyond the limit of their bytes reject the export at once, though equal columns are stored once', async () => {
    const { _id } = await create(3)
    expect(await run(_id, { mostKept: 40_000 })).toMatchObject({
      status: 'rejected',
      recoveryCount: 0,
      recoveryError: tooLarge,
    })
    const { _id: other } = await create(2)
    expect(await run(other, { mostKept: 50_000 })).toMatchObject({ status: 'completed', processedRecords: 3 })
    const { text } = await downloadExport(portal, member, `${other}.csv`)
    expect(text.split('\n')[1]).toBe('Bath,short,short')
    expect(text).toContain(`Rome,${'x'.repeat(10_000)},${'x'.repeat(10_000)}\n`)
  })

  test('take at most a quarter of the temporary files that the server allows', async () => {
    const { db } = portal.parts.database
    const within = (limit: number) =>
      inTransaction(db, async (tx) => {
        // The setting is that of a superuser: a view before the server's own stands in for it.
        const setting = sql`CREATE TEMPORARY VIEW pg_settings AS
          SELECT 'temp_file_limit' AS name, ${sql.lit(limit)} AS setting`
        await setting.execute(tx)
        const selection = await readSelection(tx, member.account, { ...repeated(3), rows: null }, null)
        const rows = await selectMatches(tx, member.account, selection)
        await sql`DROP VIEW pg_temp.pg_settings`.execute(tx)
        return rows
      })
    await expect(within(200)).rejects.toThrow(tooLarge)
    expect(await within(300)).toBe(3)
    expect(await within(-1)).toBe(3)
  })
})

describe('an export that ends on a full disk', () => {
  const full = () => Object.assign(new Error('write'), { code: 'ENOSPC' })

  test('is repeated for as long as there is no room', async () => {
    const { _id } = await createExport(member, exportDraft(['City']))
    const storage = { ...portal.parts.storage, put: () => Promise.reject(full()) }
    for (let attempt = 0; attempt < 7; attempt++) await run(_id, { storage })
    expect(await readExport(member, _id)).toMatchObject({ status: 'recovery', recoveryCount: 0 })
    expect(await run(_id)).toMatchObject({ status: 'completed' })
  })

  test('is rejected after five retries if its own file fills the disk of the storage', async () => {
    const { _id } = await createExport(member, exportDraft(['City']))
    const { storage } = portal.parts
    let isFull = false
    const put: typeof storage.put = async (...file) => {
      isFull = !isFull
      if (isFull) throw full()
      return storage.put(...file)
    }
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, recoveryCount } = await run(_id, { storage: { ...storage, put } })
      expect([status, recoveryCount]).toEqual(['recovery', attempt])
    }
    expect(await run(_id, { storage: { ...storage, put } })).toMatchObject({
      status: 'rejected',
      recoveryCount: 5,
      recoveryError: expect.stringMatching(
        /^Failed after 5 retries. There is not enough disk space for all of its data/,
      ),
    })
  })
})
