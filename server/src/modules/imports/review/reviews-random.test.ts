import { type ReviewOutcome, reviewedKeysShown } from '@portico/contract/import-review'
import type { Import, NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withoutExample } from '#indexes'
import { importFile } from '#test/resources/imports.ts'
import { buildIndex } from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type Draw, drawsOf } from '#test/oracles/random-filters.ts'
import { reviewFile } from '#test/resources/reviews.ts'
import { rounds } from '#test/processes/rounds.ts'

// Random files, imported one after the other into the same account: a review predicts the counts of its file's import.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const keyed: Partial<NewImport> = { typeCasting: true, dedupColumns: ['Email'] }
const named: Partial<NewImport> = { ...keyed, generatePURL: true, purlColumns: ['Name', 'Town'] }
const placed = { latitudeColumn: 'Latitude', longitudeColumn: 'Longitude' }

const accounts: Record<string, Partial<NewImport>> = {
  'without keys': { typeCasting: true },
  'matched by email': keyed,
  'with PURLs that are kept': { ...named, dedupHashMatching: true },
  'with PURLs that follow their columns': named,
  'with PURLs of each import': { ...named, purlGenerationScope: 'import' },
}

const columns = ['Email', 'Name', 'Town', 'Score', 'Joined', 'Member', 'Latitude', 'Longitude', 'Note']

const values: Record<string, (draw: Draw) => string> = {
  Email: (draw) => draw.one(['', 'a@x', 'A@X ', 'b@x', 'c@x', 'd@x', `p${draw.below(60)}@x`]),
  Name: (draw) => draw.one(['', 'Ada', 'Bob', 'Zoë', '李', 'ann1', 'Ann']),
  Town: (draw) => draw.one(['', 'Oslo', 'Rome', ' Rome', 'rome']),
  Score: (draw) => draw.one(['', '1', '2', '2', '10', '1e3', '-0.5', 'n/a', '0', '-0', '7.0']),
  Joined: (draw) => draw.one(['', '2024-01-31', '2024-02-29', '2024-01-31T10:00:00Z', '31/12/2023']),
  Member: (draw) => draw.one(['', 'true', 'false', 'true', 'maybe']),
  Latitude: (draw) => draw.one(['', '47.5', '47.50', '91', 'x', '-12']),
  Longitude: (draw) => draw.one(['', '8.5', '8.5', '200']),
  Note: (draw) => draw.one(['', '\u00a0', '"a, b"', "'=1+1", 'e\u0301', '\u00e9']),
}

/** A file of some of the columns, with rows that repeat contacts, are empty, or have a cell too many. */
function randomFile(draw: Draw): string {
  const more = columns.slice(5).filter(() => draw.below(2) === 0)
  const header = [...columns.slice(0, 5), ...more, ...(draw.below(4) === 0 ? [`New ${draw.below(9)}`] : [])]
  const lines = Array.from({ length: 1 + draw.below(80) }, () => {
    if (draw.below(15) === 0) return ','.repeat(header.length - 1)
    const cells = header.map((name) => values[name]?.(draw) ?? draw.one(['', '5', 'x']))
    return [...cells, ...(draw.below(25) === 0 ? ['extra'] : [])].join(',')
  })
  return `${[header.join(','), ...lines].join('\n')}\n`
}

const countsOf = (one: ReviewOutcome | Import) => ({
  total: one.totalRecords,
  created: one.createdRecords,
  updated: one.updatedRecords,
  unchanged: one.unchangedRecords,
  setAside: one.setAsideRecords,
  cells: one.setAsideCells,
  empty: one.emptyRecords,
})

/** Lines of the rows that an import has set aside. The header is line 1. */
async function setAsideLines(member: Member, { _id, setAsideRecords }: Import): Promise<Set<number>> {
  if (setAsideRecords === 0) return new Set()
  const { url } = (await member.get(`/contact-service/v1/imports/${_id}/set-aside`)).json<{ url: string }>()
  const lines = (await portal.app.inject({ url })).body.split('\r\n')
  const rows = lines.slice(1).filter((line) => line !== '' && !line.includes('The row is loaded without'))
  expect(rows).toHaveLength(setAsideRecords)
  return new Set(rows.map((line) => Number.parseInt(line, 10)))
}

/** Contacts without a dedup key. */
async function countKeyless({ account }: Member): Promise<number> {
  const { rows } = await portal.parts.database.pool.query<{ count: number }>(
    `SELECT count(*)::int FROM account_${account}.contacts AS c
     WHERE NOT EXISTS (SELECT FROM account_${account}.contact_keys AS k WHERE k.id = c.id AND k.dedup_hash IS NOT NULL)`,
  )
  return rows[0]?.count ?? 0
}

/** The keys of the rows that an import has loaded, by a rule of this test: the first cell, which has no quotes. */
function keysOf(file: string, left: ReadonlySet<number>) {
  const rows = file
    .trimEnd()
    .split('\n')
    .filter((row, at) => at > 0 && !left.has(at + 1) && !/^[\s,]*$/.test(row))
  const counts = new Map<string, number>()
  for (const row of rows) {
    const key = (row.split(',')[0] ?? '').trim().toLowerCase()
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const blank = counts.get('') ?? 0
  counts.delete('')
  const repeated = [...counts].filter(([, count]) => count > 1)
  return {
    fields: ['Email'],
    blank,
    repeated: rows.length - blank - counts.size,
    // Of equal numbers of rows, that of the first row comes first, as in a map.
    frequent: repeated
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, reviewedKeysShown)
      .map(([value, count]) => ({ values: [value], rows: count })),
  }
}

test.each(Object.keys(accounts))('predicts the counts and keys of the import: an account %s', async (kind) => {
  const draw = drawsOf(Object.keys(accounts).indexOf(kind) + 1)
  const member = await portal.member(await portal.account())
  for (let round = 0; round < rounds(8, 60); round++) {
    const file = randomFile(draw)
    const [header = ''] = file.split('\n')
    const settings: Partial<NewImport> = {
      ...accounts[kind],
      ...(header.includes('Latitude,Longitude') && placed),
      onMismatch: draw.one(['cell', 'cell', 'row', 'text'] as const),
    }
    const review = await reviewFile(portal, member, file, settings)
    const keyless = await countKeyless(member)
    const done = await importFile(portal, member, file, settings)
    expect({ file, reason: review.recoveryError, counts: review.outcome && countsOf(review.outcome) }).toEqual({
      file,
      reason: done.recoveryError,
      counts: done.status === 'completed' ? countsOf(done) : null,
    })
    if (!review.outcome) continue
    const keys = settings.dedupColumns ? keysOf(file, await setAsideLines(member, done)) : null
    const reviewed = review.outcome.keys && {
      ...review.outcome.keys,
      // The first row of a key shows it, as it is written there.
      frequent: review.outcome.keys.frequent.map(({ values: shown, rows }) => ({
        values: shown.map((value) => value?.trim().toLowerCase()),
        rows,
      })),
    }
    expect({ file, keys: reviewed }).toEqual({ file, keys })
    expect(await countKeyless(member)).toBe(keyless + (keys?.blank ?? done.createdRecords))
  }
})

test('detects violations of a unique index: new codes that two contacts would have', async () => {
  const draw = drawsOf(77)
  const member = await portal.member(await portal.account())
  await importFile(portal, member, 'Email,Code\na@x,start\n', keyed)
  await buildIndex(member, [['Code', 1]], { unique: true })
  const ends: string[] = []
  for (let round = 0; round < rounds(12, 60); round++) {
    // Codes of this round: none of them becomes free only when another contact gives it up.
    const rows = Array.from({ length: 1 + draw.below(30) }, () => [
      draw.one(['', 'a@x', 'b@x', `p${draw.below(60)}@x`]),
      draw.one(['', `r${round}-${draw.below(2000)}`, ...(draw.below(20) === 0 ? ['start'] : [])]),
    ])
    const file = `Email,Code\n${rows.map((cells) => cells.join()).join('\n')}\n`
    const review = await reviewFile(portal, member, file, keyed)
    const done = await importFile(portal, member, file, keyed)
    expect({ file, status: review.status }).toEqual({ file, status: done.status })
    expect(withoutExample(review.recoveryError ?? '')).toBe(withoutExample(done.recoveryError ?? ''))
    ends.push(done.status)
  }
  expect(new Set(ends)).toEqual(new Set(['completed', 'rejected']))
})

test('detects violations of a unique index of several fields, also of those that the file lacks', async () => {
  const draw = drawsOf(90)
  const member = await portal.member(await portal.account())
  await importFile(portal, member, 'Email,Code,Part\na@x,start,start\n', keyed)
  const key = [
    ['Code', 1],
    ['Part', -1],
  ]
  expect(await buildIndex(member, key, { unique: true })).toMatchObject({ state: 'ready' })
  const seen = new Set<string>()
  for (let round = 0; round < rounds(16, 120); round++) {
    // Each value is new to the round: no pair of values becomes free only when another contact gives it up.
    const columnsOfRound = draw.one([['Code'], ['Part'], ['Code', 'Part']])
    const [codes, parts] = [draw.one([1, 3, 400]), draw.one([1, 3, 400])]
    const cell: Record<string, () => string> = {
      Code: () => draw.one(['', `c${round}-${draw.below(codes)}`, `c${round}-${draw.below(codes)}`]),
      Part: () => draw.one(['', `p${round}-${draw.below(parts)}`, `p${round}-${draw.below(parts)}`]),
    }
    const rows = Array.from({ length: 1 + draw.below(12) }, () => [
      draw.one(['a@x', 'b@x', `p${draw.below(6)}@x`]),
      ...columnsOfRound.map((name) => cell[name]?.() ?? ''),
    ])
    const file = `${['Email', ...columnsOfRound].join()}\n${rows.map((cells) => cells.join()).join('\n')}\n`
    const review = await reviewFile(portal, member, file, keyed)
    const done = await importFile(portal, member, file, keyed)
    expect({ file, status: review.status }).toEqual({ file, status: done.status })
    expect(withoutExample(review.recoveryError ?? '')).toBe(withoutExample(done.recoveryError ?? ''))
    seen.add(`${columnsOfRound.join()} ${done.status}`)
  }
  expect(seen).toEqual(
    new Set(['Code', 'Part', 'Code,Part'].flatMap((names) => [`${names} completed`, `${names} rejected`])),
  )
})
