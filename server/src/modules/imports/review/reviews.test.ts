import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import {
  threeContacts,
  memberToReview,
  outcomeOf,
  reviewFile,
  reviewSettings,
  reviewsPath,
} from '#test/resources/reviews.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const fieldsOf = async (member: Member) => (await member.get('/contact-service/v1/fields')).body

describe('a review', () => {
  const second =
    'First,Last,Email,Score,Town\nAda,King,A@X,10,\nBob,Ray,b@x,2,\n,,,,\nDi,Poe,d@x,many,Oslo\nEd,Fox,e@x,5,Rome,6\n'

  test('reports what the import of a file would create, change, leave out and set aside', async () => {
    const member = await memberToReview(portal)
    const outcome = await outcomeOf(portal, member, second)
    const [ada] = (await contactsOf(member)).filter(({ First }) => First === 'Ada')
    expect(outcome).toEqual({
      totalRecords: 3,
      createdRecords: 1,
      updatedRecords: 1,
      unchangedRecords: 1,
      setAsideRecords: 1,
      setAsideCells: 1,
      emptyRecords: 1,
      fields: [
        { name: 'First', type: 'string', isNew: false, filled: 3, changed: 0, misfits: 0 },
        { name: 'Last', type: 'string', isNew: false, filled: 3, changed: 0, misfits: 0 },
        { name: 'Email', type: 'string', isNew: false, filled: 3, changed: 1, misfits: 0 },
        { name: 'Score', type: 'number', isNew: false, filled: 2, changed: 1, misfits: 1 },
        { name: 'Town', type: 'string', isNew: true, filled: 1, changed: 0, misfits: 0 },
      ],
      keys: { fields: ['Email'], blank: 0, repeated: 0, frequent: [] },
      namingFields: ['First', 'Last', 'Email'],
      created: [{ First: 'Di', Last: 'Poe', Email: 'd@x', Town: 'Oslo' }],
      updated: [
        {
          contact: ada?._id,
          named: { First: 'Ada', Last: 'King', Email: 'a@x' },
          changes: [
            { field: 'Email', before: 'a@x', after: 'A@X' },
            { field: 'Score', before: '1', after: '10' },
          ],
        },
      ],
      setAside: [
        { line: 5, reason: expect.stringContaining('Score') },
        { line: 6, reason: expect.stringContaining('6') },
      ],
    })
  })

  test('changes neither contacts nor fields, leaves no working table, and is not listed', async () => {
    const member = await memberToReview(portal)
    const before = [await contactsOf(member), await fieldsOf(member)]
    await outcomeOf(portal, member, second)
    expect([await contactsOf(member), await fieldsOf(member)]).toEqual(before)
    const { rows } = await portal.parts.database.pool.query(
      `SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename LIKE 'stage%'`,
      [`account_${member.account}`],
    )
    expect(rows).toEqual([])
    expect((await member.get('/contact-service/v1/imports')).body).toHaveLength(1)
    expect((await importFile(portal, member, second, reviewSettings)).status).toBe('completed')
  })

  test('counts rows without a key and rows that repeat one, and shows the most frequent keys', async () => {
    const member = await memberToReview(portal)
    const repeated = (key: string, count: number) => `Jo,Doe,${key},\n`.repeat(count)
    const file = `First,Last,Email,Score\nDi,Poe,,1\n${repeated('n/a', 2)}Ed,Fox, ,2\n${repeated('N/A ', 1)}${repeated('e@x', 2)}`
    const outcome = await outcomeOf(portal, member, file)
    expect(outcome).toMatchObject({ totalRecords: 7, createdRecords: 4 })
    expect(outcome.keys).toEqual({
      fields: ['Email'],
      blank: 2,
      repeated: 3,
      frequent: [
        { values: ['n/a'], rows: 3 },
        { values: ['e@x'], rows: 2 },
      ],
    })
    const imported = await importFile(portal, member, file, reviewSettings)
    expect(imported).toMatchObject({ createdRecords: 4 })
    const keyless = await outcomeOf(portal, await portal.member(await portal.account()), 'Email\na@x\na@x\n', {
      generatePURL: false,
      purlColumns: [],
      dedupColumns: [],
    })
    expect(keyless).toMatchObject({ createdRecords: 2, keys: null })
  })

  test('has only new fields for the first file of an account', async () => {
    const member = await portal.member(await portal.account())
    const outcome = await outcomeOf(portal, member, threeContacts)
    expect(outcome).toMatchObject({ createdRecords: 3, updatedRecords: 0, updated: [] })
    expect(outcome.fields.map(({ type, isNew }) => [type, isNew])).toEqual([
      ['string', true],
      ['string', true],
      ['string', true],
      ['number', true],
    ])
    expect(await fieldsOf(member)).toEqual([])
  })

  test('compares a field that would become text as text', async () => {
    const member = await memberToReview(portal)
    const outcome = await outcomeOf(portal, member, 'First,Last,Email,Score\nAda,King,a@x,1\nBob,Ray,b@x,n/a\n', {
      ...reviewSettings,
      onMismatch: 'text',
    })
    expect(outcome).toMatchObject({ updatedRecords: 1, unchangedRecords: 1 })
    expect(outcome.updated[0]?.changes).toEqual([{ field: 'Score', before: '2', after: 'n/a' }])
    expect(outcome.fields[3]).toMatchObject({ type: 'string', changed: 1 })
    expect(await fieldsOf(member)).toContainEqual(expect.objectContaining({ name: 'Score', type: 'number' }))
  })

  test('shows long values truncated, but compares them in full', async () => {
    const member = await portal.member(await portal.account())
    const long = 'é'.repeat(5000)
    const chosen = { ...reviewSettings, purlColumns: ['Email'], dedupColumns: ['Email'] }
    await importFile(portal, member, `Email,Note,More\na@x,${long}a,${long}\n`, chosen)
    const outcome = await outcomeOf(
      portal,
      member,
      `Email,Note,More\na@x,${long}b,${long}\nb@x,${long},short\n`,
      chosen,
    )
    const shown = `${'é'.repeat(200)}…`
    expect(outcome.updated.map(({ changes }) => changes)).toEqual([[{ field: 'Note', before: shown, after: shown }]])
    expect(outcome.created).toEqual([{ Email: 'b@x', Note: shown, More: 'short' }])
    expect(outcome.examplesLeftOut).toBeUndefined()
  })

  test('truncates the values of a wide file further', async () => {
    const member = await portal.member(await portal.account())
    const names = Array.from({ length: 999 }, (_, at) => `Field ${at}`)
    const content = `Email,${names.join(',')}\na@x${`,${'n'.repeat(300)}`.repeat(999)}\n`
    const { created } = await outcomeOf(portal, member, content, { generatePURL: false, dedupColumns: ['Email'] })
    expect(created[0]?.['Field 998']).toBe(`${'n'.repeat(50)}…`)
  })

  test('from an earlier release omits examples that are too long, and says so', async () => {
    const member = await memberToReview(portal)
    const review = await reviewFile(portal, member, second, reviewSettings)
    await portal.parts.database.pool.query(
      `UPDATE account_${member.account}.import_reviews
       SET outcome = outcome || jsonb_build_object('created', jsonb_build_array(jsonb_build_object('First', repeat('n', 60000000))))`,
    )
    const later = await member.get(`${reviewsPath}/${review._id}`)
    expect(later).toMatchObject({ status: 200 })
    expect(later.json<typeof review>().outcome).toEqual({
      ...review.outcome,
      created: [],
      updated: [],
      examplesLeftOut: true,
    })
  })

  test('reports why the import of the file would be rejected', async () => {
    const member = await memberToReview(portal)
    const review = await reviewFile(portal, member, 'First,Last,Email\n', reviewSettings)
    expect(review).toMatchObject({
      status: 'rejected',
      recoveryError: 'The file has only a header, and no rows to import.',
      outcome: null,
    })
  })

  test('is refused with reviewSettings that the import would refuse', async () => {
    const member = await memberToReview(portal)
    const draft = { ...reviewSettings, dedupColumns: ['First'] }
    await expect(reviewFile(portal, member, threeContacts, draft)).rejects.toThrow('Cannot be changed anymore')
    await expect(
      reviewFile(portal, member, threeContacts, { ...reviewSettings, latitudeColumn: 'Score' }),
    ).rejects.toThrow('Choose both a latitude and a longitude column')
    const taken = (await member.get('/contact-service/v1/imports')).json<Import[]>()[0]?.name ?? ''
    await expect(reviewFile(portal, member, threeContacts, { ...reviewSettings, name: taken })).rejects.toThrow(
      'name_taken',
    )
  })

  test('replaces the previous one of the same person, and can be deleted', async () => {
    const member = await memberToReview(portal)
    const one = await reviewFile(portal, member, threeContacts, reviewSettings)
    const other = await reviewFile(portal, member, threeContacts, reviewSettings)
    expect(await member.get(`${reviewsPath}/${one._id}`)).toMatchObject({ status: 404 })
    expect(await member.delete(`${reviewsPath}/${other._id}`)).toMatchObject({ status: 204 })
    expect(await member.get(`${reviewsPath}/${other._id}`)).toMatchObject({ status: 404 })
    expect(await member.delete(`${reviewsPath}/${other._id}`)).toMatchObject({ status: 404 })
  })

  test('is kept for an hour', async () => {
    const member = await memberToReview(portal)
    const { _id } = await reviewFile(portal, member, threeContacts, reviewSettings)
    await portal.parts.database.pool.query(
      `UPDATE account_${member.account}.import_reviews SET created_at = created_at - interval '61 minutes'`,
    )
    expect(await member.get(`${reviewsPath}/${_id}`)).toMatchObject({ status: 404 })
  })
})
