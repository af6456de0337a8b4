import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { buildIndex } from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { reviewFile } from '#test/resources/reviews.ts'

// Imports into accounts in which a user has created a unique index.

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

const people = 'Name,Email,City\nAda,ada@x.org,Paris\nAlan,alan@x.org,Rome\n'
const byEmail = { dedupColumns: ['Email'] }
const names = async () => (await contactsOf(member)).map(({ Name }) => Name)

test.each([
  [
    'that brings a value again',
    [['Email', 1]],
    'Name,Email,City\nEve,eve@x.org,Paris\nBob,alan@x.org,Rome\n',
    {},
    'The unique index "Email_1" does not allow duplicate values of "Email". Correct the file, or delete the index. For example, "alan@x.org" would be a duplicate.',
  ],
  [
    'that changes a contact to the value of another',
    [['Name', -1]],
    'Name,Email,City\nAda,alan@x.org,Rome\n',
    byEmail,
    'The unique index "Name_-1" does not allow duplicate values of "Name". Correct the file, or delete the index. For example, "Ada" would be a duplicate.',
  ],
  [
    'that brings two values together again',
    [
      ['City', 1],
      ['Name', 1],
    ],
    'Name,Email,City\nAda (1),a@x.org,"Pa)=(ris"\nAda (1),b@x.org,"Pa)=(ris"\n',
    {},
    'The unique index "City_1_Name_1" does not allow duplicate values of "City" and "Name". Correct the file, or delete the index. For example, "Pa)=(ris, Ada (1)" would be a duplicate.',
  ],
])('a file %s is rejected at once with the reason', async (_what, key, file, settings, recoveryError) => {
  await importFile(portal, member, people, settings)
  expect(await buildIndex(member, key, { unique: true })).toMatchObject({ state: 'ready' })
  const reviewed = await reviewFile(portal, member, file, settings)
  expect(reviewed).toMatchObject({ status: 'rejected', recoveryError, outcome: null })
  expect(await importFile(portal, member, file, settings)).toMatchObject({
    status: 'rejected',
    recoveryError,
    recoveryCount: 0,
  })
  expect(await names()).toEqual(['Ada', 'Alan'])
})

test('a review accepts a file that repeats values only within one contact, or without the other field', async () => {
  await importFile(portal, member, people, byEmail)
  await buildIndex(member, [['City', 1]], { unique: true })
  await buildIndex(
    member,
    [
      ['Name', 1],
      ['Email', 1],
    ],
    { unique: true },
  )
  const file = 'Name,Email,City\nAda,ada@x.org,Oslo\nBob,bob@x.org,Bonn\nBob,bob@x.org,Kyoto\nCy,,\nCy,,\n'
  expect(await reviewFile(portal, member, file, byEmail)).toMatchObject({ status: 'completed', recoveryError: null })
  expect(await importFile(portal, member, file, byEmail)).toMatchObject({ status: 'completed' })
})

test('a unique index of another account has no effect', async () => {
  await importFile(portal, member, people)
  await buildIndex(member, [['Email', 1]], { unique: true })
  member = await portal.member(await portal.account())
  expect(await importFile(portal, member, people)).toMatchObject({ status: 'completed' })
  expect(await importFile(portal, member, people)).toMatchObject({ status: 'completed', createdRecords: 2 })
})

test('repeated rows of one contact do not violate the index, even without existing contacts', async () => {
  await importFile(portal, member, people, byEmail)
  await buildIndex(member, [['Email', 1]], { unique: true })
  const gone = await member.delete('/contact-service/v1/offers', { filter: [], deletedRecords: 2 })
  expect(gone).toMatchObject({ status: 200 })
  const file = 'Name,Email\nAda,ada@x.org\nAda King,ADA@x.org\nAda Lovelace,ada@x.org\n'
  expect(await importFile(portal, member, file, byEmail)).toMatchObject({ status: 'completed', createdRecords: 1 })
  expect(await names()).toEqual(['Ada Lovelace'])
})

test('the rejection email contains no values, as its recipients may see only some contacts', async () => {
  await importFile(portal, member, people)
  await buildIndex(member, [['Name', 1]], { unique: true })
  const ended = await importFile(portal, member, 'Name,City\nAda,Rome\n', { notificationEmails: ['ops@example.com'] })
  expect(ended.recoveryError).toContain('For example, "Ada" would be a duplicate.')
  const { rows } = await portal.parts.database.pool.query(
    `SELECT settings FROM account_${member.account}.deliveries WHERE subject_kind = 'import' AND subject_id = $1`,
    [ended._id],
  )
  const email = JSON.stringify(rows)
  expect(email).toContain('does not allow duplicate values')
  expect(email).not.toContain('Ada')
})
