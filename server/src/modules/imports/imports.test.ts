import type { Field } from '@portico/contract/contacts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contactsOf, importFile, twoContacts, withPurl } from '#test/resources/imports.ts'
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

const people = 'First,Last,Email,Age\nAda,Lovelace,ada@example.com,36\nAlan,Turing,alan@example.com,41\n'

const withoutIds = async () => (await contactsOf(member)).map(({ _id, ...contact }) => contact)

describe('a plain import', () => {
  test('creates a contact from each row', async () => {
    const done = await importFile(portal, member, people)
    expect(done).toMatchObject({ status: 'completed', processedRecords: 2, totalRecords: 2, createdRecords: 2 })
    expect(await withoutIds()).toEqual([
      { First: 'Ada', Last: 'Lovelace', Email: 'ada@example.com', Age: '36', Import: done._id },
      { First: 'Alan', Last: 'Turing', Email: 'alan@example.com', Age: '41', Import: done._id },
    ])
  })

  test('infers types on request', async () => {
    await importFile(portal, member, 'N,B,D,T\n1.5,true,2026-01-31,x\n-2,FALSE,1/2/2026,\n', { typeCasting: true })
    const fields = (await member.get('/contact-service/v1/fields')).json<Field[]>()
    expect(fields.map(({ name, type }) => [name, type])).toEqual([
      ['N', 'number'],
      ['B', 'boolean'],
      ['D', 'day'],
      ['T', 'string'],
    ])
    expect(await withoutIds()).toMatchObject([
      { N: 1.5, B: true, D: '2026-01-31', T: 'x' },
      { N: -2, B: false, D: '2026-01-02' },
    ])
  })
})

describe('an import with dedup and PURL', () => {
  test('numbers contacts with the same PURL base in file order', async () => {
    const file = 'First,Last,Email\nAda,King,a@x\nada,KING,b@x\nÁda,Kíng,c@x\nBob,Ray2,d@x\n,,e@x\n'
    const done = await importFile(portal, member, file, withPurl)
    expect(done).toMatchObject({ status: 'completed', purlStatus: 'completed', purlProcessedRecords: 5 })
    expect((await contactsOf(member)).map(({ purl }) => purl)).toEqual([
      'adaking',
      'adaking2',
      'adaking3',
      'bobray2x',
      'contact',
    ])
  })

  test('merges rows of the same contact: non-empty values win, later ones over earlier', async () => {
    const file = 'First,Last,Email,Phone\nAda,King,a@x,1\nAda,Byron, A@X ,\nBob,Ray,b@x,2\nAda,,a@x,3\n'
    const done = await importFile(portal, member, file, withPurl)
    expect(done).toMatchObject({ processedRecords: 4, createdRecords: 2, updatedRecords: 2, unchangedRecords: 0 })
    expect(await withoutIds()).toMatchObject([
      { First: 'Ada', Last: 'Byron', Phone: '3', purl: 'adaking' },
      { First: 'Bob', Last: 'Ray', Phone: '2', purl: 'bobray' },
    ])
  })

  test('recognizes the contacts of earlier imports and keeps their PURLs', async () => {
    const file = twoContacts
    await importFile(portal, member, file, withPurl)
    const before = await contactsOf(member)
    const again = await importFile(portal, member, file, withPurl)
    expect(again).toMatchObject({ processedRecords: 2, createdRecords: 0, updatedRecords: 0, unchangedRecords: 2 })
    expect(await contactsOf(member)).toEqual(before)

    const changed = await importFile(portal, member, 'First,Last,Email\nEve,Ray,b@x\nAda,King,c@x\n', withPurl)
    expect(changed).toMatchObject({ createdRecords: 1, updatedRecords: 1 })
    expect((await contactsOf(member)).map(({ First, purl }) => [First, purl])).toEqual([
      ['Ada', 'adaking'],
      ['Eve', 'bobray'],
      ['Ada', 'adaking2'],
    ])
  })
})
