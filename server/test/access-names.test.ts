import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { anImport, upload } from '#test/resources/imports.ts'
import { type Answer, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A condition that denies a name denies all spellings by which the server would find it (ADR 0082).

let portal: TestPortal
let account: number

/** Names in conditions, each with other spellings of it. */
const names = {
  Salary: ['ſalary', 'SALARY', 'Salary '],
  Prénom: ['Pre\u0301nom', 'PRÉNOM'],
  λόγος: ['ΛΌΓΟΣ', 'λόγοσ'],
  Info: ['İnfo', 'i\u0307nfo'],
}
const spellings = Object.entries(names).flatMap(([name, others]) => others.map((other) => [name, other] as const))

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account()
  const types = Object.fromEntries([...Object.keys(names), 'City'].map((name) => [name, 'string' as const]))
  await addContacts(portal.parts.database, account, types, [{ City: 'Paris', Salary: 'much' }])
})
afterAll(() => portal.close())

const statuses = async (answers: Promise<Answer>[]) => (await Promise.all(answers)).map(({ status }) => status)

test('a condition covers every spelling of a field in exports, lists and mappings', async () => {
  const denied = Object.keys(names).join(',')
  const member = await memberWith(portal, account, {
    actions: ['contact-service::exports::post'],
    conditions: [`body::exportFields::nin::${denied}`],
  })
  const post = (...exportFields: string[]) =>
    member.post('/contact-service/v1/exports', { name: `Of ${exportFields.join()}`, delimiter: 'csv', exportFields })
  expect(new Set(await statuses(spellings.map(([, other]) => post('City', other))))).toEqual(new Set([403]))
  expect((await post('City')).status).toBe(201)

  const reader = await memberWith(portal, account, {
    actions: ['contact-service::offers::get'],
    conditions: [`query::select::nin::${denied}`],
  })
  const select = (name: string) =>
    reader.get(`/contact-service/v1/offers?select=${encodeURIComponent(`City "${name}"`)}`)
  expect(new Set(await statuses(spellings.map(([, other]) => select(other))))).toEqual(new Set([403]))

  for (const [name, other] of spellings) {
    const importer = await memberWith(portal, account, {
      actions: ['contact-service::imports::post'],
      conditions: [`body::columnMapping.${name}::neq::Pay`],
    })
    const answer = await importer.post('/contact-service/v1/imports', anImport({ columnMapping: { [other]: 'pay' } }))
    expect([other, answer.status]).toEqual([other, 403])
  }
})

test('a condition covers every spelling of a field in filter stages', async () => {
  for (const [name, other] of spellings) {
    const member = await memberWith(portal, account, {
      actions: ['contact-service::offers::get'],
      conditions: [`query::find::nct::${name}`],
    })
    const find = (field: string) =>
      member.get(
        `/contact-service/v1/offers?find=${encodeURIComponent(JSON.stringify([{ $match: { [field]: 'much' } }]))}`,
      )
    expect([other, (await find(other)).status]).toEqual([other, 403])
    expect((await find('City')).status).toBe(200)
  }
})

test('a condition covers the fields by which values of groups are computed', async () => {
  const denied = 'Salary'
  const some = (field: string) => [
    { $group: { _id: '$City', n: { $sum: { $cond: { if: { $or: [{ [field]: 'much' }] }, then: 1 } } } } },
  ]
  const rate = (field: string) => [
    { $group: { _id: null as string | null, n: { $divide: [some(field)[0]?.$group.n, { $sum: 1 }] } } },
  ]
  const reader = await memberWith(portal, account, {
    actions: ['contact-service::offers::get'],
    conditions: [`query::find::nct::${denied}`],
  })
  const aggregate = (stages: unknown) =>
    reader.get(`/contact-service/v1/offers?aggregate=${encodeURIComponent(JSON.stringify(stages))}`)
  const exporter = await memberWith(portal, account, {
    actions: ['contact-service::exports::post'],
    conditions: [`body::exportFields::nin::${denied}`],
  })
  const post = (aggregateQuery: { $group: { _id: string | null } }[]) =>
    exporter.post('/contact-service/v1/exports', {
      name: `Groups by ${JSON.stringify(aggregateQuery[0]?.$group._id)}`,
      delimiter: 'csv',
      exportFields: ['n'],
      aggregateQuery: JSON.stringify(aggregateQuery),
    })
  for (const stages of [some, rate]) {
    expect([(await aggregate(stages(denied))).status, (await post(stages('SALARY'))).status]).toEqual([403, 403])
    expect([(await aggregate(stages('City'))).status, (await post(stages('City'))).status]).toEqual([200, 201])
  }
})

test('a condition covers every spelling of the name of a new item', async () => {
  const owner = await portal.member(account)
  await upload(portal, owner, 'contacts.csv', 'City\nParis\n')
  for (const [name, other] of spellings) {
    const member = await memberWith(portal, account, {
      actions: ['contact-service::imports::post'],
      conditions: [`body::name::neq::The ${name}`],
    })
    const answer = await member.post('/contact-service/v1/imports', anImport({ name: `The ${other}` }))
    expect([other, answer.status]).toEqual([other, 403])
  }
})

test('a condition that allows a name allows no additional spelling', async () => {
  const member = await memberWith(portal, account, {
    actions: ['contact-service::exports::post'],
    conditions: ['body::exportFields::in::City,Salary'],
  })
  const post = (field: string) =>
    member.post('/contact-service/v1/exports', { name: `One of ${field}`, delimiter: 'csv', exportFields: [field] })
  expect((await post('ſalary')).status).toBe(403)
  expect((await post('salary')).status).toBe(201)
})

/** Returns a name with white space that only programs would omit. */
const blank = (name: string): string[] => [` ${name}`, `${name} `, `\t${name}`, `\u00a0${name}`, `${name}\u3000`]

test('a name with surrounding white space is unknown in every part of filters and columns', async () => {
  const member = await portal.member(account)
  const list = (name: string, value: unknown) =>
    member.get(`/contact-service/v1/offers?${name}=${encodeURIComponent(JSON.stringify(value))}`)
  const unwind = { $unwind: '$events' }
  const stages = (name: string): object[][] => [
    [{ $match: { [name]: 'much' } }],
    [{ $match: { $or: [{ [name]: 'much' }, { City: 'Paris' }] } }],
    [{ $sort: { [name]: 1 } }],
    [{ $project: { [name]: 1 } }],
    [{ $group: { _id: `$${name}` } }],
    [{ $group: { _id: 'City', n: { $max: `$${name}` } } }],
    [{ $group: { _id: null, n: { $size: { $addToSet: `$${name}` } } } }],
    [{ $addFields: { x: { $concat: [`$${name}`] } } }],
  ]
  for (const name of blank('Salary')) {
    const answers = await statuses(stages(name).map((each) => list('aggregate', each)))
    expect([name, new Set(answers)]).toEqual([name, new Set([400])])
    const selected = await member.get(`/contact-service/v1/offers?select=${encodeURIComponent(`City "${name}"`)}`)
    expect([name, selected.status]).toEqual([name, 400])
  }
  expect(new Set(await statuses(stages('salary').map((each) => list('aggregate', each))))).toEqual(new Set([200]))
  for (const name of blank('ip').map((ip) => `events.${ip}`)) {
    const grouped = await list('aggregate', [unwind, { $group: { _id: `$${name}` } }])
    const matched = await list('find', [{ $match: { events: { $elemMatch: { [name.slice(7)]: '1' } } } }])
    const exported = await member.post('/contact-service/v1/exports', {
      name: `Of ${name}`,
      delimiter: 'csv',
      exportFields: ['City', name],
    })
    expect([name, grouped.status, matched.status, exported.status]).toEqual([name, 400, 400, 400])
  }
  const filter = (name: string) => ({
    type: 'domain',
    domainOrIp: 'www.corp.example',
    includeSubDomains: false,
    filter: JSON.stringify({ [name]: `{{${name}}}` }),
    publicColumns: 'City',
  })
  expect(
    new Set(await statuses(blank('_id').map((name) => member.post('/contact-service/v1/remoteAccess', filter(name))))),
  ).toEqual(new Set([400]))
})
