import { foldName } from '@portico/domain/names'
import type { Group, Policy } from '@portico/contract/policies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeGroup, makePolicy } from '#test/kit/administration.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { crons, newCron } from '#test/resources/crons.ts'
import { differingTexts, type SpelledText } from '#test/oracles/differing-letters.ts'
import { exportDraft, exportsPath } from '#test/resources/exports.ts'
import { anImport, upload } from '#test/resources/imports.ts'
import { createIndex } from '#test/resources/indexes.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Names are unique without regard to case by one fold, however PostgreSQL and JavaScript treat a letter (ADR 0082).

let portal: TestPortal
let admin: Member
let member: Member
let stranger: Member
let policy: Policy
let group: Group
let texts: SpelledText[]

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  member = await portal.member(account)
  stranger = await portal.member(await portal.account())
  admin = await portal.powerAdmin()
  policy = await makePolicy(admin, 'Of all groups')
  group = await makeGroup(admin, 'Of all services', [policy])
  await upload(portal, member, 'contacts.csv', 'First\nAda\n')
  await upload(portal, stranger, 'contacts.csv', 'First\nAda\n')
  texts = await differingTexts(portal.parts, 40)
  const fields = Object.fromEntries(texts.map((_, at) => [`F${at}`, 'string' as const]))
  for (const own of [member, stranger]) await addContacts(portal.parts.database, own.account, fields, [])
})
afterAll(() => portal.close())

type Noun = {
  noun: string
  create: (by: Member, name: string, at: number) => Promise<Answer>
  /** Only power admins create them, for all accounts. */
  isGlobal?: boolean
  /** The field and the code of the refusal. */
  taken?: { code: string; field: string; message: string }
}

/** In the other Unicode form, with a final sigma, and with a dotted capital i. */
const pairs = [
  ['Prénom', 'Pre\u0301NOM'],
  ['ΛΟΓΟΣ', 'λογος'],
  ['λογοσ 2', 'ΛΟΓΟς 2'],
  ['İstanbul', 'istanbul'],
] as const

const duplicate = { code: 'name_taken', field: 'name', message: 'Value is duplicate!' }

const nouns: Noun[] = [
  {
    noun: 'a policy',
    create: (by, name) => by.post('/identity/v1/policies', { name, actions: ['bi::dashboards::get'] }),
    isGlobal: true,
    taken: { ...duplicate, message: 'A policy with this name exists already!' },
  },
  {
    noun: 'a group',
    create: (by, name) => by.post('/identity/v1/groups', { name, policies: [policy._id] }),
    isGlobal: true,
    taken: { ...duplicate, message: 'A group with this name exists already!' },
  },
  {
    noun: 'a service identity',
    create: (by, name) => by.post('/identity/v1/identities', { serviceName: name, groups: [group._id] }),
    taken: { code: 'name_taken', field: 'serviceName', message: 'A service identity with this name exists already!' },
  },
  {
    noun: 'a saved filter',
    create: (by, name) =>
      by.post('/contact-service/v1/rdls', {
        name,
        aggregateQuery: '[{"$match":{"_id":"1"}}]',
        showInSubaccounts: false,
      }),
  },
  {
    noun: 'a cron',
    create: (by, name) => by.post(crons, newCron({ name })),
    taken: { code: 'invalid_input', field: 'name', message: 'Name already exists!' },
  },
  { noun: 'an import', create: (by, name) => by.post('/contact-service/v1/imports', anImport({ name })) },
  { noun: 'an export', create: (by, name) => by.post(exportsPath, exportDraft(['_id'], { name })) },
  { noun: 'an index', create: (by, name, at) => createIndex(by, [[`F${at}`, 1]], { name }) },
]

test('the samples have many letters with several lower-case forms', () => {
  expect(texts.flatMap(({ text }) => Array.from(text)).length).toBeGreaterThan(1300)
  expect(texts.some(({ text }) => text.includes('İ'))).toBe(true)
  for (const { text, others } of texts) for (const other of others) expect(foldName(other)).toBe(foldName(text))
})

describe.each(nouns)('the name of $noun', ({ create, isGlobal, taken = duplicate }) => {
  test('cannot be reused in another spelling of its letters', { timeout: 120_000 }, async () => {
    const by = isGlobal ? admin : member
    for (const [at, { text, others }] of texts.entries()) {
      const name = `Name ${at} ${text}`
      expect([name, await create(by, name, at)]).toMatchObject([name, { status: expect.toSatisfy(isDone) }])
      for (const other of others) {
        const refused = await create(by, `Name ${at} ${other}`, at)
        expect([other, refused]).toMatchObject([
          other,
          { body: { error: { code: taken.code, details: [{ field: taken.field, message: taken.message }] } } },
        ])
      }
    }
  })

  test.skipIf(isGlobal)('can be reused in another account', async () => {
    const [first] = texts
    expect(await create(stranger, `Name 0 ${first?.text}`, 0)).toMatchObject({ status: expect.toSatisfy(isDone) })
  })

  test('cannot be reused in another Unicode form, with a final sigma or with a dotted capital i', async () => {
    for (const [at, [name, other]] of pairs.entries()) {
      const by = isGlobal ? admin : stranger
      expect(await create(by, name, at + 1)).toMatchObject({ status: expect.toSatisfy(isDone) })
      const refused = await create(by, ` ${other} `, at + 1)
      // Letters in names of service identities are composed.
      if (other.normalize('NFC') !== other && refused.status === 400) continue
      expect(refused).toMatchObject({ body: { error: { code: taken.code } } })
    }
  })
})

const isDone = (status: number): boolean => [200, 201, 202].includes(status)

test('the name of an account cannot be reused in another spelling of its letters', { timeout: 120_000 }, async () => {
  // Each needs a schema.
  const some = texts.filter(({ text }, at) => at % 4 === 0 || text.includes('İ'))
  for (const { text, others } of [...some, ...pairs.map(([text, other]) => ({ text, others: [other] }))]) {
    expect(await admin.post('/identity/v1/accounts', { name: text })).toMatchObject({ status: 201 })
    for (const name of others) {
      expect(await admin.post('/identity/v1/accounts', { name })).toMatchObject({
        body: { error: { code: 'name_taken' } },
      })
    }
  }
})

describe('a field of contacts', () => {
  let reader: Member
  const field = (text: string, at: number): string => `Field ${at} ${text}`
  const ask = (query: Record<string, unknown>): Promise<Answer> => {
    const written = Object.entries(query).map(([key, value]): [string, string] => [key, JSON.stringify(value)])
    return reader.get(`/contact-service/v1/offers?${new URLSearchParams(written).toString()}`)
  }

  beforeAll(async () => {
    reader = await portal.member(await portal.account())
    const names = texts.map(({ text }, at) => field(text, at))
    const types = Object.fromEntries(names.map((name) => [name, 'string' as const]))
    const values = Object.fromEntries(names.map((name, at) => [name, `value ${at}`]))
    await addContacts(portal.parts.database, reader.account, types, [values])
  })

  test('is found by every spelling of its name', { timeout: 120_000 }, async () => {
    for (const [at, { others }] of texts.entries()) {
      for (const other of others) {
        const name = field(other, at)
        expect(await ask({ find: [{ $match: { [name]: `value ${at}` } }] })).toMatchObject({ body: [{ _id: /\d+/ }] })
        expect((await ask({ aggregate: [{ $group: { _id: `$${name}` } }] })).body).toEqual([{ _id: `value ${at}` }])
      }
    }
  })

  test('cannot be named twice by a header, a mapping or a setting of an import', async () => {
    for (const { text, others } of texts) {
      for (const other of others) {
        await upload(portal, reader, 'contacts.csv', `${text},${other}\na,b\n`)
        const { status, body } = await reader.post('/contact-service/v1/imports/preview', {
          filePath: 'contacts.csv',
          fileDelimiter: 'comma',
          typeCasting: false,
        })
        expect([status, body]).toMatchObject([400, { error: { details: [{ field: 'filePath' }] } }])
        const draft = anImport({ filePath: 'contacts.csv', generatePURL: true, purlColumns: [text, other] })
        const refused = await reader.post('/contact-service/v1/imports', draft)
        expect(refused).toMatchObject({ status: 400 })
      }
    }
  })
})
