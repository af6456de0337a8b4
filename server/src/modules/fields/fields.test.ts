import type { Field } from '@portico/contract/contacts'
import type { FieldDetails, FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { grant, identityOf, memberWith } from '#test/resources/access.ts'
import { importFile, submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const service = '/contact-service/v1'
const file = 'Email,City,Score,Since\na@x,Oslo,3.5,2008\nb@x,Oslo,2000,2011\nc@x,,7,\n'

let portal: TestPortal
let member: Member
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  member = await aMember()
})
afterAll(() => portal.close())

async function aMember(account?: number): Promise<Member> {
  const made = await portal.member(account ?? (await portal.account()))
  await importFile(portal, made, file, { typeCasting: true })
  return made
}
const fieldsOf = async (of: Member) => (await of.get(`${service}/fields/details`)).json<FieldEntry[]>()
const idOf = async (of: Member, name: string) => (await fieldsOf(of)).find((field) => field.name === name)?._id ?? ''
const change = async (of: Member, name: string, draft: object) =>
  of.put(`${service}/fields/${await idOf(of, name)}`, draft)
const detailsOf = async (of: Member, name: string) => of.get(`${service}/fields/${await idOf(member, name)}/details`)

test('the list has types, formats, imports, and estimates once the database has statistics', async () => {
  await portal.parts.database.pool.query(`ANALYZE account_${member.account}.contacts`)
  expect(await fieldsOf(member)).toMatchObject([
    { name: 'Email', type: 'string', format: null, filled: 1, distinct: 3, import: { _id: '1' }, changedAt: null },
    { name: 'City', type: 'string', distinct: 1 },
    { name: 'Score', type: 'number', format: null, chosenFormat: null, distinct: 3 },
    { name: 'Since', type: 'number', format: { style: 'plain' }, chosenFormat: null },
  ])
  const city = (await fieldsOf(member)).find(({ name }) => name === 'City')
  expect(city?.filled).toBeCloseTo(2 / 3)
})

test('the details count the values and list the most frequent ones', async () => {
  expect((await detailsOf(member, 'City')).body).toEqual({
    contacts: 3,
    filled: 2,
    distinct: 1,
    examples: [{ value: 'Oslo', contacts: 2 }],
    written: 0,
    uses: [],
  } satisfies FieldDetails)
  expect((await detailsOf(member, 'Score')).json<FieldDetails>().examples.map(({ value }) => value)).toEqual([
    '2000',
    '3.5',
    '7',
  ])
})

test('members with a row rule get figures of their contacts only, no estimates, and cannot change fields', async () => {
  const limited = await portal.member(member.account)
  await portal.parts.database.pool.query('UPDATE portico.identities SET row_rule = $2 WHERE id = $1', [
    await identityOf(portal, limited),
    JSON.stringify([{ $match: { Email: 'c@x' } }]),
  ])
  expect((await fieldsOf(limited)).map(({ filled, distinct }) => [filled, distinct])).toEqual(
    Array(4).fill([null, null]),
  )
  expect((await detailsOf(limited, 'City')).body).toMatchObject({ contacts: 1, filled: 0, distinct: 0, examples: [] })
  expect(await change(limited, 'Score', { format: null })).toMatchObject({ status: 403 })
})

test('a field hidden by conditions is not found, and only administrators see the names of uses', async () => {
  await member.post(`${service}/rdls`, { name: 'In Oslo', aggregateQuery: '[{"$match":{"City":"Oslo"}}]' })
  const clerk = await memberWith(portal, member.account, {
    actions: ['contact-service::fields::*', 'contact-service::offers::get'],
    conditions: ['query::select::nct::Score'],
  })
  expect((await fieldsOf(clerk)).map(({ name }) => name)).toEqual(['Email', 'City', 'Since'])
  expect(await detailsOf(clerk, 'Score')).toMatchObject({ status: 404 })
  expect(await clerk.put(`${service}/fields/${await idOf(member, 'Score')}`, { name: 'Points' })).toMatchObject({
    status: 404,
  })
  expect((await detailsOf(clerk, 'City')).body).toMatchObject({ uses: [{ kind: 'filter', name: null }] })
  expect((await detailsOf(member, 'City')).body).toMatchObject({ uses: [{ kind: 'filter', name: 'In Oslo' }] })
  const blind = await memberWith(portal, member.account, { actions: ['contact-service::fields::get'] })
  expect(await fieldsOf(blind)).toEqual([])
})

test('changing a field requires the right and the account of the field', async () => {
  const reader = await portal.member(member.account, 'contact-service::fields::get', 'contact-service::offers::get')
  expect(await change(reader, 'City', { name: 'Town' })).toMatchObject({ status: 403 })
  const stranger = await portal.member(await portal.account())
  for (const id of [await idOf(member, 'City'), '0', 'x', '99999999999999999999']) {
    expect(await stranger.put(`${service}/fields/${id}`, { name: 'Town' })).toMatchObject({ status: 404 })
    expect(await stranger.get(`${service}/fields/${id}/details`)).toMatchObject({ status: 404 })
  }
})

test.each([
  ['', /required/],
  ['\u200b ', /required/],
  ['a'.repeat(201), /200 characters/],
  ['a\tb', /cannot be displayed/],
  ['PURL', /reserved/],
  ['Events.price', /event fields/],
])('the name %j is refused: %s', async (name, message) => {
  const answer = await change(member, 'City', { name })
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
  expect(JSON.stringify(answer.body)).toMatch(message)
})

test('a taken name is refused, but changing the case of the own name is accepted', async () => {
  const other = await aMember()
  expect(await change(other, 'City', { name: 'SCORE' })).toMatchObject({
    status: 409,
    body: { error: { code: 'name_taken', details: [{ field: 'name' }] } },
  })
  expect(await change(other, 'City', { name: 'CITY' })).toMatchObject({ status: 200, body: { name: 'CITY' } })
  expect((await other.get(`${service}/offers?select=CITY&limit=1`)).body).toMatchObject([{ CITY: 'Oslo' }])
})

test('the second of two simultaneous changes of a field is refused', async () => {
  const other = await aMember()
  const answers = await Promise.all([
    change(other, 'City', { name: 'Town', version: 1 }),
    change(other, 'City', { name: 'Place', version: 1 }),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    error: { code: 'newer_version', details: { version: 2, savedBy: other.email } },
  })
})

test('a format applies to numbers only, takes effect at once and can be reset', async () => {
  const other = await aMember()
  const formatOf = async (name: string) =>
    (await other.get(`${service}/fields`)).json<Field[]>().find((field) => field.name === name)?.format
  expect(await change(other, 'Score', { format: { style: 'currency', decimals: 2, currency: 'EUR' } })).toMatchObject({
    status: 200,
    body: { format: { style: 'currency', decimals: 2, currency: 'EUR' }, version: 2 },
  })
  expect(await formatOf('Score')).toEqual({ style: 'currency', decimals: 2, currency: 'EUR' })
  expect(await change(other, 'Since', { format: { style: 'decimal' } })).toMatchObject({ status: 200 })
  // A format that people chose stays, whatever later files bring.
  await importFile(portal, other, 'Email,Since\nd@x,2012\n', {})
  expect(await formatOf('Since')).toMatchObject({ style: 'decimal' })
  expect(await change(other, 'Since', { format: null })).toMatchObject({ body: { format: { style: 'plain' } } })
  expect(await change(other, 'City', { format: { style: 'plain' } })).toMatchObject({ status: 400 })
  expect(await change(other, 'Score', { format: { style: 'plain', currency: 'EUR' } })).toMatchObject({ status: 400 })
  expect(await change(other, 'Score', { format: { style: 'odd' } })).toMatchObject({ status: 400 })
})

test('a field cannot be renamed while an import waits, as the import may name it', async () => {
  const { pool } = portal.parts.database
  const other = await aMember()
  const { _id: id } = await submit(portal, other, 'Email\nd@x\n')
  const setStatus = (status: string) =>
    pool.query(`UPDATE account_${other.account}.imports SET status = $1 WHERE id = $2`, [status, id])
  await setStatus('waiting')
  expect(await change(other, 'City', { name: 'Town' })).toMatchObject({
    status: 409,
    body: { error: { code: 'field_busy' } },
  })
  await setStatus('completed')
  expect(await change(other, 'City', { name: 'Town' })).toMatchObject({ status: 200 })
})

test('a rename is refused, naming what cannot follow: a filter of the parent, policies used elsewhere', async () => {
  const parent = await portal.account()
  const child = await aMember(await portal.account(undefined, parent))
  const above = await aMember(parent)
  await above.post(`${service}/rdls`, {
    name: 'Shared',
    aggregateQuery: '[{"$match":{"City":"Oslo"}}]',
    showInSubaccounts: true,
  })
  const refused = { status: 409, body: { error: { code: 'in_use', message: expect.stringContaining('"Shared"') } } }
  expect(await change(child, 'City', { name: 'Town' })).toMatchObject(refused)

  const secret = { actions: ['contact-service::exports::post'], conditions: ['body::exportFields::nin::Score'] }
  await grant(portal, await identityOf(portal, above), { ...secret, name: 'No scores' })
  const policy = { status: 409, body: { error: { code: 'in_use', message: expect.stringContaining('"No scores"') } } }
  expect(await change(above, 'Score', { name: 'Points' })).toMatchObject(policy)
  expect(await change(child, 'Score', { name: 'Points' })).toMatchObject(policy)

  const alone = await aMember()
  const part = { actions: secret.actions, conditions: ['body::exportFields::nct::score'], name: 'No part of scores' }
  await grant(portal, await identityOf(portal, alone), part)
  expect(await change(alone, 'Score', { name: 'Points' })).toMatchObject({ status: 409 })
  expect((await fieldsOf(alone)).map(({ name }) => name)).toContain('Score')
})
