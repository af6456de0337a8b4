import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { updateFullTextIndex } from '#search'
import { addContacts } from '#test/resources/contacts.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
})

const db = () => portal.parts.database.db
const query = (text: string) =>
  portal.parts.database.pool.query(text.replaceAll(':account', `account_${member.account}`))

async function found(words: string): Promise<unknown[]> {
  const find = encodeURIComponent(JSON.stringify([{ $match: { $text: { $search: words } } }]))
  const answer = await member.get(`/contact-service/v1/offers?find=${find}&select=Name`)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<{ Name: string }[]>().map(({ Name }) => Name)
}

// In UTC, where an hour has sixty minutes, so that the expression is immutable: Citus takes no other.
const minuteEarlier = `(last_activity_at AT TIME ZONE 'UTC' - interval '1 minute') AT TIME ZONE 'UTC'`

/** Makes the index look as if it had been built a while after the last import. */
const letTimePass = () => query(`UPDATE :account.imports SET last_activity_at = ${minuteEarlier}`)

/** Returns whether a search uses the index: only the index has a word that is planted there. */
async function usesIndex(): Promise<boolean> {
  await query(`UPDATE :account.contact_words SET words = words || 'planted'::tsvector`)
  return (await found('planted')).length > 0
}

const wordIndex = async () => (await member.get('/contact-service/v1/indexes/words')).body

const file = 'Name,City,Age\nAnna Berg,Zürich,30\nBob Lind,Lyon,40\n'

test('finds the same with and without the index', async () => {
  await importFile(portal, member, file, { typeCasting: true })
  const searches = ['anna', 'ber', 'ZÜRICH', 'lind lyon', 'lind zürich', 'erg', '30']
  const without = []
  for (const words of searches) without.push(await found(words))
  expect(without).toEqual([['Anna Berg'], ['Anna Berg'], ['Anna Berg'], ['Bob Lind'], [], [], []])
  expect(await usesIndex()).toBe(false)
  await letTimePass()
  await updateFullTextIndex(db(), member.account)
  const withIndex = []
  for (const words of searches) withIndex.push(await found(words))
  expect(withIndex).toEqual(without)
  expect(await usesIndex()).toBe(true)
})

const foreign =
  'Name,City\nŁukasz Øst,Zürich\nLukasz Ost,zurich\nSTRASSE Ærø,Besançon\nstraße aero,BESANCON\n한국,が\nか,ß\n'

test('folds accents in both directions, with and without the index', async () => {
  await importFile(portal, member, foreign)
  await query(`UPDATE :account.contacts SET c2 = normalize(c2, NFD) WHERE c1 = 'Łukasz Øst'`)
  const expected = {
    zurich: ['Łukasz Øst', 'Lukasz Ost'],
    ZÜRICH: ['Łukasz Øst', 'Lukasz Ost'],
    'zu\u0308r': ['Łukasz Øst', 'Lukasz Ost'],
    lukasz: ['Łukasz Øst', 'Lukasz Ost'],
    łukasz: ['Łukasz Øst', 'Lukasz Ost'],
    'øst łuk': ['Łukasz Øst', 'Lukasz Ost'],
    straße: ['STRASSE Ærø', 'straße aero'],
    strasse: ['STRASSE Ærø', 'straße aero'],
    aero: ['STRASSE Ærø', 'straße aero'],
    besançon: ['STRASSE Ærø', 'straße aero'],
    하: [],
    か: ['か'],
    ss: ['か'],
  }
  const all = async () => {
    const names: Record<string, unknown> = {}
    for (const words of Object.keys(expected)) names[words] = await found(words)
    return names
  }
  expect(await all()).toEqual(expected)
  await letTimePass()
  await updateFullTextIndex(db(), member.account)
  expect(await usesIndex()).toBe(true)
  expect(await all()).toEqual(expected)
})

test('does not use an index of an earlier release, and rebuilds it in the next run of the job', async () => {
  await importFile(portal, member, foreign)
  await letTimePass()
  await updateFullTextIndex(db(), member.account)
  await query(`UPDATE :account.contact_word_index SET words_version = 1`)
  await query(`UPDATE :account.contact_words SET words = to_tsvector('simple', 'łukasz')`)
  expect(await found('lukasz')).toEqual(['Łukasz Øst', 'Lukasz Ost'])
  expect(await usesIndex()).toBe(false)
  await updateFullTextIndex(db(), member.account)
  expect(await usesIndex()).toBe(true)
  expect(await found('lukasz')).toEqual(['Łukasz Øst', 'Lukasz Ost'])
})

test('reads the contacts themselves after an import until the index includes its changes', async () => {
  await importFile(portal, member, file, { dedupColumns: ['Name'] })
  await letTimePass()
  await updateFullTextIndex(db(), member.account)
  await importFile(portal, member, 'Name,City\nAnna Berg,Genf\nCarl Dahl,Bern\n', { dedupColumns: ['Name'] })
  expect(await usesIndex()).toBe(false)
  expect(await found('genf')).toEqual(['Anna Berg'])
  await letTimePass()
  await updateFullTextIndex(db(), member.account)
  expect(await usesIndex()).toBe(true)
  expect([await found('genf'), await found('zürich'), await found('carl'), await found('lyon')]).toEqual([
    ['Anna Berg'],
    [],
    ['Carl Dahl'],
    ['Bob Lind'],
  ])
})

test('includes a column that has become text', async () => {
  await importFile(portal, member, 'Name,Code\nAnna,17\n', { typeCasting: true, generatePURL: false })
  await letTimePass()
  await updateFullTextIndex(db(), member.account)
  await importFile(portal, member, 'Name,Code\nBob,x1\n', {
    typeCasting: true,
    generatePURL: false,
    onMismatch: 'text',
  })
  await letTimePass()
  await updateFullTextIndex(db(), member.account)
  expect(await usesIndex()).toBe(true)
  expect([await found('17'), await found('x1')]).toEqual([['Anna'], ['Bob']])
})

test('leaves the index unchanged during an import, and removes deleted contacts', async () => {
  await importFile(portal, member, file)
  await query(`UPDATE :account.imports SET status = 'processing'`)
  await updateFullTextIndex(db(), member.account)
  expect((await query('SELECT FROM :account.contact_words')).rowCount).toBe(0)
  await query(`UPDATE :account.imports SET status = 'completed', last_activity_at = ${minuteEarlier}`)
  await updateFullTextIndex(db(), member.account)
  await query(`DELETE FROM :account.contacts WHERE id = (SELECT min(id) FROM :account.contacts)`)
  expect(await found('anna')).toEqual([])
  await updateFullTextIndex(db(), member.account)
  expect((await query('SELECT FROM :account.contact_words')).rowCount).toBe(1)
})

test('keeps the existing index when stopped in the middle, and runs again', async () => {
  await importFile(portal, member, file)
  await letTimePass()
  const { pool } = portal.parts.database
  const holder = await pool.connect()
  await holder.query('BEGIN')
  await holder.query(`LOCK TABLE account_${member.account}.contact_word_index IN SHARE MODE`)
  const outcome = updateFullTextIndex(db(), member.account).then(
    () => 'done',
    (error: Error) => error.message,
  )
  await expect
    .poll(async () => {
      // Its last step but one waits: stop it there.
      const { rowCount } = await pool.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
           AND wait_event_type = 'Lock' AND query LIKE '%account_${member.account}%'`,
      )
      return rowCount
    })
    .toBe(1)
  expect(await outcome).toContain('canceling statement')
  await holder.query('ROLLBACK')
  holder.release()
  expect((await query('SELECT FROM :account.contact_words')).rowCount).toBe(0)
  expect(await found('anna')).toEqual(['Anna Berg'])
  await updateFullTextIndex(db(), member.account)
  expect(await usesIndex()).toBe(true)
})

test('is built by the worker once a large account is searched, but not for a small one', async () => {
  await importFile(portal, member, file)
  await found('anna')
  expect(await wordIndex()).toEqual({ state: 'absent', progress: null })
  expect((await query('SELECT FROM :account.contact_word_index')).rowCount).toBe(0)
  const large = await portal.account()
  member = await portal.member(large)
  await addContacts(portal.parts.database, large, { Name: 'string' }, [{ Name: 'Needle' }])
  await query(
    `INSERT INTO :account.contacts (id, import_id, c1) SELECT i, 1, 'Hay ' || i FROM generate_series(1, 50000) i`,
  )
  expect(await found('needle')).toEqual(['Needle'])
  expect(await wordIndex()).toMatchObject({ state: 'building', progress: expect.any(Number) })
  await expect.poll(() => usesIndex(), { timeout: 30_000 }).toBe(true)
  expect(await wordIndex()).toEqual({ state: 'ready', progress: null })
  expect(await found('needle')).toEqual(['Needle'])
  // The planner has current statistics, and finds a word without reading the others.
  const { rows } = await query(
    `EXPLAIN SELECT id FROM :account.contact_words WHERE words @@ to_tsquery('simple', '''needle'':*')`,
  )
  expect(JSON.stringify(rows)).toContain('contact_words_words_idx')
})

test('the characters "$text" in a value or a field name do not request an index', async () => {
  const account = await portal.account()
  member = await portal.member(account)
  await addContacts(portal.parts.database, account, { text: 'string' }, [{ text: '$text' }])
  await query(`INSERT INTO :account.contacts (id, import_id, c1) SELECT i, 1, 'Hay' FROM generate_series(1, 50000) i`)
  const rows = async (search: string) => (await member.get(`/contact-service/v1/offers?${search}`)).json<object[]>()
  const json = (stages: object[]) => encodeURIComponent(JSON.stringify(stages))
  expect(await rows(`find=${json([{ $match: { text: '$text' } }])}&select=text`)).toMatchObject([{ text: '$text' }])
  expect(await rows(`find=${json([{ $match: { $or: [{ text: { $in: ['$text'] } }] } }])}`)).toHaveLength(1)
  expect(await rows(`aggregate=${json([{ $group: { _id: '$text' } }])}`)).toHaveLength(2)
  expect((await query('SELECT FROM :account.contact_word_index')).rowCount).toBe(0)
  const either = { $or: [{ $and: [{ $text: { $search: 'hay' } }] }, { text: 'other' }] }
  expect(await rows(`find=${json([{ $match: either }])}&limit=1`)).toHaveLength(1)
  expect((await query('SELECT FROM :account.contact_word_index')).rowCount).toBe(1)
})

test('reports its progress to members who may search, for their own account only', async () => {
  await importFile(portal, member, file)
  await query(`INSERT INTO :account.contact_word_index (id, requested_at, progress) VALUES (1, now(), 0.5)`)
  expect(await wordIndex()).toEqual({ state: 'building', progress: 0.225 })
  const stranger = await portal.member(await portal.account())
  expect((await stranger.get('/contact-service/v1/indexes/words')).body).toEqual({ state: 'absent', progress: null })
  const importer = await portal.member(member.account, 'contact-service::imports::get')
  expect((await importer.get('/contact-service/v1/indexes/words')).status).toBe(403)
  // An import came between: the next search requests it again.
  await query(`UPDATE :account.imports SET status = 'processing'`)
  await updateFullTextIndex(db(), member.account)
  expect(await wordIndex()).toEqual({ state: 'absent', progress: null })
})

test('reports its progress while it writes many contacts', async () => {
  await importFile(portal, member, file)
  await letTimePass()
  await updateFullTextIndex(db(), member.account)
  await query(
    `INSERT INTO :account.contacts (id, import_id, c1, updated_at) SELECT i, 1, 'Hay ' || i, now() FROM generate_series(1, 120000) i`,
  )
  await query('UPDATE :account.imports SET last_activity_at = now()')
  // A lock on a contact of the second fifty thousand makes the job pause where it can be observed.
  const holder = await portal.parts.database.pool.connect()
  await holder.query('BEGIN')
  await holder.query(`INSERT INTO account_${member.account}.contact_words (id, words) VALUES (60000, '')`)
  const outcome = updateFullTextIndex(db(), member.account)
  await expect
    .poll(wordIndex, { timeout: 20_000 })
    .toEqual({ state: 'building', progress: expect.closeTo((0.45 * 50_000) / 120_002, 5) })
  await holder.query('ROLLBACK')
  holder.release()
  await outcome
  expect((await query('SELECT FROM :account.contact_words')).rowCount).toBe(120_002)
})
