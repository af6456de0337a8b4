import type { Import, NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importWorkers } from '#test/processes/import-workers.ts'
import { contactsOf, importFile, submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The figures of an import whose file has several rows of one contact.

const byEmail: Partial<NewImport> = {
  typeCasting: true,
  generatePURL: true,
  purlColumns: ['Name'],
  dedupColumns: ['Email'],
  dedupHashMatching: true,
}

const figures = ({ processedRecords, createdRecords, updatedRecords, unchangedRecords }: Import) => ({
  processed: processedRecords,
  created: createdRecords,
  updated: updatedRecords,
  unchanged: unchangedRecords,
})

/** A file whose rows are `name,email,score,joined`. */
const fileOf = (rows: readonly string[]): string => `Name,Email,Score,Joined\n${rows.join('\n')}\n`
const scores = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, at) => `Ada,ada@example.com,${from + at},`)

describe('the counts of an import', () => {
  let portal: TestPortal
  let member: Member
  beforeAll(async () => {
    portal = await startPortal()
    await portal.startWorker()
  })
  afterAll(() => portal.close())

  test('treat 300 rows that change a contact of the same file as updates, in a first import', async () => {
    member = await portal.member(await portal.account())
    const done = await importFile(portal, member, fileOf(scores(301)), byEmail)
    expect(figures(done)).toEqual({ processed: 301, created: 1, updated: 300, unchanged: 0 })
    expect(await contactsOf(member)).toMatchObject([{ Name: 'Ada', Score: 301, purl: 'ada' }])
  })

  test('are the same in a later import, whether the contact is known or new', async () => {
    const again = await importFile(portal, member, fileOf(scores(301, 301)), byEmail)
    // The first row has the values that the contact already has.
    expect(figures(again)).toEqual({ processed: 301, created: 0, updated: 300, unchanged: 1 })
    const others = scores(301).map((row) => row.replace('ada@', 'eve@'))
    const added = await importFile(portal, member, fileOf(others), byEmail)
    expect(figures(added)).toEqual({ processed: 301, created: 1, updated: 300, unchanged: 0 })
  })

  test('compare each row with the contact as the previous rows left it', async () => {
    const own = await portal.member(await portal.account())
    const rows = [
      'Ada,ada@example.com,1,2024-01-01',
      // The email in another spelling, and then in the original one.
      ',ADA@example.com ,,',
      'Ada,ada@example.com,1,',
      'Ada,ada@example.com,2,2024-01-01',
      // Missing values change nothing.
      ',ada@example.com,,',
      'Ada,ada@example.com,2,2024-01-02',
      'Ada,ada@example.com,1,2024-01-02',
      'Bob,bob@example.com,1,2024-01-01',
    ]
    const expected = { processed: 8, created: 2, updated: 5, unchanged: 1 }
    expect(figures(await importFile(portal, own, fileOf(rows), byEmail))).toEqual(expected)
    const later = await portal.member(await portal.account())
    await importFile(portal, later, fileOf(['Old,old@example.com,1,2024-01-01']), byEmail)
    expect(figures(await importFile(portal, later, fileOf(rows), byEmail))).toEqual(expected)
    const stored = (await contactsOf(later)).find(({ Name }) => Name === 'Ada')
    expect(stored).toMatchObject({ Score: 1, Joined: '2024-01-02' })
  })

  test('compare the columns of a wide file across its tables', async () => {
    const own = await portal.member(await portal.account())
    const header = ['Email', ...Array.from({ length: 700 }, (_, at) => `C${at}`)].join()
    const row = (at: number, value: string) => ['a@example.com', ...Array(700).fill('x').with(at, value)].join()
    // The second row changes a column of the last table, the third row nothing, and the fourth a column of the first
    // table.
    const file = [header, row(0, 'x'), row(699, 'y'), row(699, 'y'), row(0, 'z')].join('\n')
    const settings = { dedupColumns: ['Email'] }
    const first = await importFile(portal, own, file, settings)
    expect(figures(first)).toEqual({ processed: 4, created: 1, updated: 2, unchanged: 1 })
    // Each row except the third differs from the result of the previous one.
    expect(figures(await importFile(portal, own, file, settings))).toMatchObject({
      created: 0,
      updated: 3,
      unchanged: 1,
    })
  })

  test('treat a row that only adds a location as an update', async () => {
    const own = await portal.member(await portal.account())
    const { generatePURL: _, purlColumns: __, dedupHashMatching: ___, ...plain } = byEmail
    const rows = 'Name,Email,Lat,Lng\nAda,ada@example.com,1,2\n'
    await importFile(portal, own, rows, plain)
    const located = { ...plain, latitudeColumn: 'Lat', longitudeColumn: 'Lng' }
    expect(figures(await importFile(portal, own, `${rows}Ada,ada@example.com,1,2\n`, located))).toEqual({
      processed: 2,
      created: 0,
      updated: 1,
      unchanged: 1,
    })
  })
})

test('counts add up across batches and worker crashes', { timeout: 200_000 }, async () => {
  const portal = await startPortal()
  try {
    const { killWhen, finish } = importWorkers(
      () => portal,
      async ({ account }, id) => {
        const { rows } = await portal.parts.database.pool.query<{ status: string; batches: number }>(
          `SELECT status, (SELECT count(*)::int FROM account_${account}.import_batches WHERE import_id = i.id) AS batches
           FROM account_${account}.imports AS i WHERE id = $1`,
          [id],
        )
        return rows[0] ?? { status: '', batches: 0 }
      },
    )
    const own = await portal.member(await portal.account())
    await finish(own, (await submit(portal, own, fileOf(['Old,old@example.com,1,']), byEmail))._id)
    // Four batches: each of the thousand contacts has a hundred rows, every fourth of which repeats the previous one.
    const rows = Array.from({ length: 100_000 }, (_, at) => {
      const round = Math.floor(at / 1000)
      return `Name ${at % 1000},p${at % 1000}@example.com,${round - (round % 4 === 3 ? 1 : 0)},`
    })
    const { _id } = await submit(portal, own, fileOf(rows), byEmail)
    for (const batches of [1, 3, 6]) {
      expect(await killWhen(own, _id, (state) => state.batches >= batches)).toBe(true)
    }
    expect(figures(await finish(own, _id))).toEqual({
      processed: 100_000,
      created: 1000,
      updated: 74_000,
      unchanged: 25_000,
    })
  } finally {
    await portal.close()
  }
})
