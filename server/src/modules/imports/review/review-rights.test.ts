import type { AuditEntry } from '@portico/contract/audit'
import type { Action } from '@portico/contract/route'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { importFile } from '#test/resources/imports.ts'
import { buildIndex } from '#test/resources/indexes.ts'
import { addSight } from '#test/resources/row-rules.ts'
import {
  threeContacts,
  memberToReview,
  outcomeOf,
  reviewFile,
  reviewSettings,
  reviewsPath,
} from '#test/resources/reviews.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const importing: Action[] = [
  'contact-service::imports::post',
  'contact-service::imports::get',
  'contact-service::uploads::get',
]

/** A member who may import, and search all contacts, but neither read a field nor search by it. */
const importerWithout = (owner: Member, field: string): Promise<Member> =>
  memberWith(
    portal,
    owner.account,
    { actions: importing },
    { actions: ['contact-service::offers::get'], conditions: denied(field) },
  )
const denied = (field: string) => ['select', 'find', 'aggregate', 'sort'].map((part) => `query::${part}::nct::${field}`)

/** A file that changes a contact unless it has this score. */
const guess = (score: string) => `First,Last,Email,Score\nAda,King,a@x,${score}\n`

test('a review is denied to other people of the account and to other accounts', async () => {
  const member = await memberToReview(portal)
  const { _id } = await reviewFile(portal, member, threeContacts, reviewSettings)
  for (const other of [await portal.member(member.account), await memberToReview(portal)]) {
    expect(await other.get(`${reviewsPath}/${_id}`)).toMatchObject({ status: 404 })
    expect(await other.delete(`${reviewsPath}/${_id}`)).toMatchObject({ status: 404 })
  }
})

test('a review requires the right to import', async () => {
  const { account } = await memberToReview(portal)
  const reader = await portal.member(account, 'contact-service::offers::get', 'contact-service::imports::get')
  expect(await reader.post(reviewsPath, {})).toMatchObject({ status: 403 })
})

test('a review names contacts by fields that its reader may read, whether or not the file has them', async () => {
  const owner = await portal.member(await portal.account())
  const byEmail = { typeCasting: true, dedupColumns: ['Email'] }
  await importFile(portal, owner, threeContacts, byEmail)
  const seen = await outcomeOf(
    portal,
    await importerWithout(owner, 'First'),
    'Last,Email,Score\nKing,a@x,7\nPoe,d@x,9\n',
    byEmail,
  )
  expect(seen.namingFields).toEqual(['Last', 'Email'])
  expect(seen.created).toEqual([{ Last: 'Poe', Email: 'd@x', Score: '9' }])
  expect(seen.updated).toMatchObject([{ named: { Last: 'King', Email: 'a@x' }, changes: [{ field: 'Score' }] }])
  expect(JSON.stringify(seen.updated)).not.toContain('Ada')

  await importFile(portal, owner, 'First,Last,Email,Town\nAda,King,a@x,Oslo\n', byEmail)
  const { updated } = await outcomeOf(portal, owner, 'Email,First,Last,Town\na@x,Ada,King,Rome\n', byEmail)
  expect(updated).toMatchObject([
    {
      named: { First: 'Ada', Last: 'King', Email: 'a@x' },
      changes: [{ field: 'Town', before: 'Oslo', after: 'Rome' }],
    },
  ])
})

test('a review does not confirm guesses of values: neither by counts and fields, nor by examples', async () => {
  const owner = await memberToReview(portal)
  const blind = await portal.member(owner.account, ...importing)
  const limited = await importerWithout(owner, 'Score')
  // Sees all contacts without their scores, and some of them with their scores.
  const twofold = await importerWithout(owner, 'Score')
  await addSight(portal, twofold, [{ $match: { Last: 'Lee' } }])
  for (const by of [blind, limited, twofold]) {
    const [wrong, right] = [await outcomeOf(portal, by, guess('9')), await outcomeOf(portal, by, guess('1'))]
    expect(wrong).toEqual(right)
    expect(wrong).toMatchObject({
      totalRecords: 1,
      createdRecords: null,
      updatedRecords: null,
      unchangedRecords: null,
      created: [],
      updated: [],
      namingFields: [],
    })
    const names = wrong.fields.map(({ name }) => name)
    expect(names).toEqual(by === blind ? [] : ['First', 'Last', 'Email'])
  }
  // Neither do new contacts, which would tell who is not there yet.
  expect(await outcomeOf(portal, blind, guess('9').replace('a@x', 'z@x'))).toMatchObject({
    createdRecords: null,
    created: [],
  })
})

test('a review does not confirm guesses of the dedup columns by counts of other fields', async () => {
  const owner = await portal.member(await portal.account())
  const settings = { typeCasting: true, dedupColumns: ['Email'] }
  await importFile(portal, owner, threeContacts, settings)
  const guessed = (email: string) => `First,Email\nZoe,${email}\n`
  const reader = await importerWithout(owner, 'Email')
  const twofold = await importerWithout(owner, 'Email')
  await addSight(portal, twofold, [{ $match: { Last: 'Lee' } }])
  for (const by of [reader, twofold]) {
    const [right, wrong] = [
      await outcomeOf(portal, by, guessed('a@x'), settings),
      await outcomeOf(portal, by, guessed('z@x'), settings),
    ]
    expect(right).toEqual(wrong)
    expect(right.fields).toMatchObject([{ name: 'First', filled: 1, changed: null }])
  }
  expect((await outcomeOf(portal, owner, guessed('a@x'), settings)).fields).toMatchObject([{ changed: 1 }, {}])
})

test('a review is rejected without the value that a unique index refuses, unless its reader may search by it', async () => {
  const owner = await memberToReview(portal)
  await buildIndex(owner, [['Score', 1]], { unique: true })
  const reason =
    'The unique index "Score_1" does not allow duplicate values of "Score". Correct the file, or delete the index.'
  const whole = `${reason} For example, "2" would be a duplicate.`
  const reasonFor = async (by: Member) => (await reviewFile(portal, by, guess('2'), reviewSettings)).recoveryError
  expect(await reasonFor(owner)).toBe(whole)
  expect(await reasonFor(await importerWithout(owner, 'First'))).toBe(whole)
  expect(await reasonFor(await importerWithout(owner, 'Score'))).toBe(reason)
  const blind = await portal.member(owner.account, ...importing)
  expect(await reasonFor(blind)).toBe(reason)
  // The import itself leaves its trace, and tells the one who started it what it did and why it failed.
  const refused = await importFile(portal, blind, guess('2'), reviewSettings)
  expect(refused).toMatchObject({ status: 'rejected', recoveryError: whole })
  const done = await importFile(portal, blind, guess('9'), reviewSettings)
  expect(done).toMatchObject({ status: 'completed', createdRecords: 0, updatedRecords: 1, unchangedRecords: 0 })
})

test('a review is in the audit log, like imports', async () => {
  const member = await memberToReview(portal)
  const { _id } = await reviewFile(portal, member, threeContacts, { ...reviewSettings, name: 'Who is there' })
  const entries = (await member.get('/identity/v1/audit')).json<AuditEntry[]>()
  expect(entries.filter(({ action }) => action === 'import reviewed')).toMatchObject([
    {
      actor: member.email,
      subject: 'Who is there',
      details: { id: Number(_id), filePath: expect.any(String) as string },
    },
  ])
})

test('a review has no examples of contacts that were deleted since', async () => {
  const owner = await memberToReview(portal)
  const review = await reviewFile(portal, owner, guess('7'), reviewSettings)
  expect(review.outcome?.updated).toHaveLength(1)
  const contact = review.outcome?.updated[0]?.contact ?? ''
  await owner.delete(`/contact-service/v1/offers/${contact}`)
  await portal.parts.database.pool.query(`DELETE FROM account_${owner.account}.contacts WHERE id = $1`, [contact])
  const later = (await owner.get(`${reviewsPath}/${review._id}`)).json<typeof review>()
  expect(later.outcome?.updated).toEqual([])
})
