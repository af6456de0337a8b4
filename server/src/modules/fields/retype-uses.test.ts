import type { FieldEntry, TypePreview } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron } from '#test/resources/crons.ts'
import { createDashboard, definition } from '#test/resources/dashboards.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addAccess, readOffer, stranger } from '#test/resources/remote-accesses.ts'

// Everything stored that compares a field with values of its type, when that type is changed.

const service = '/contact-service/v1'
const file = 'Email,Zone,Joined,Score\na@x,7,2026-01-31,1\nb@x,8,2026-02-01,2\n'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

async function anOwner(): Promise<Member> {
  const owner = await portal.member(await portal.account())
  await importFile(portal, owner, file, { typeCasting: true })
  return owner
}
const fieldOf = async (owner: Member, name: string) => {
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  const field = fields.find((each) => each.name === name)
  if (!field) throw new Error(`no field ${name}`)
  return field
}
const pathOf = async (owner: Member, name: string) => `${service}/fields/${(await fieldOf(owner, name))._id}/type`
const preview = async (by: Member, owner: Member, name: string, type: string) =>
  (await by.get(`${await pathOf(owner, name)}?type=${type}`)).json<TypePreview>()
const change = async (by: Member, owner: Member, name: string, type: string, broken = 0) =>
  by.put(await pathOf(owner, name), { reading: { type }, broken })

test('crons and dashboards that use the field as a date, or its values, require confirmation', async () => {
  const owner = await anOwner()
  const instruction = { name: 'Daily', delimiter: 'csv', exportFields: ['Email'], offset: '1' }
  await addCron(owner, { name: 'By the day', instruction: { ...instruction, dateField: 'Joined' } })
  await addCron(owner, { name: 'All', instruction: { ...instruction, exportFields: ['Joined'] } })
  const cell = (chart: object) => definition([{ cols: 12, chart }])
  await createDashboard(owner, {
    name: 'Picked',
    definition: cell({
      type: 'DatePicker',
      title: 'When',
      datePickerType: 'day',
      defaultId: 'T',
      portico: { dateField: 'Joined' },
    }),
  })
  const since = [{ $match: { Joined: { $gte: '2026-01-01' } } }]
  await createDashboard(owner, {
    name: 'Since',
    definition: cell({ type: 'Table', title: 'A', filter: { standard: since, columns: ['Email'] } }),
  })

  const { uses, obstacle } = await preview(owner, owner, 'Joined', 'number')
  expect(obstacle).toBeNull()
  expect(uses.toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? ''))).toEqual([
    { kind: 'cron', name: 'All', problem: null },
    { kind: 'cron', name: 'By the day', problem: '"Joined" is the date of its window.' },
    { kind: 'dashboard', name: 'Picked', problem: '"Joined" is the date of one of its cells.' },
    { kind: 'dashboard', name: 'Since', problem: expect.stringContaining('"Joined"') },
  ])
  // A moment is a date too.
  expect((await preview(owner, owner, 'Joined', 'date')).uses.filter(({ problem }) => problem !== null)).toEqual([])
  expect(await change(owner, owner, 'Joined', 'number', 2)).toMatchObject({
    status: 409,
    body: { error: { code: 'in_use', details: { broken: 3 } } },
  })
  expect(await change(owner, owner, 'Joined', 'number', 3)).toMatchObject({ status: 200 })
})

test('a filter that uses a saved filter is checked with its stages', async () => {
  const owner = await anOwner()
  const save = async (name: string, stages: object[]) =>
    (await owner.post(`${service}/rdls`, { name, aggregateQuery: JSON.stringify(stages) })).json<{ _id: string }>()
  const { _id } = await save('Sums', [{ $group: { _id: { Zone: '$Zone' }, total: { $sum: '$Score' } } }])
  await save('Most', [{ $predefined: _id }, { $match: { total: { $gte: 1 } } }, { $sort: { total: 1 } }])
  const { uses } = await preview(owner, owner, 'Score', 'string')
  expect(uses.map(({ name, problem }) => [name, problem !== null])).toContainEqual(['Sums', true])
})

const policyWith = async (owner: Member, action: string, condition: string) => {
  await memberWith(portal, owner.account, { actions: [action], conditions: [condition] })
}

test.each([
  ['contact-service::offers::get', 'query::find::nct::"Zone":7'],
  ['contact-service::offers::put', 'body::changes.Zone.to::neq::7'],
  ['contact-service::exports::post', 'body::aggregateQuery::nct::{"Zone":7}'],
])('a policy for %s with %s compares values of the field and blocks the change', async (action, condition) => {
  const owner = await anOwner()
  await policyWith(owner, action, condition)
  const editor = await memberWith(portal, owner.account, {
    actions: ['contact-service::fields::*', 'contact-service::offers::get'],
  })
  const { obstacle } = await preview(owner, owner, 'Zone', 'string')
  expect(obstacle).toMatch(/^The policy "Given \d+" compares this field/)
  // Names of policies are for administrators.
  expect((await preview(editor, owner, 'Zone', 'string')).obstacle).toMatch(/^A policy compares this field/)
  const refused = await change(editor, owner, 'Zone', 'string')
  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
  expect(JSON.stringify(refused.body)).not.toContain('Given')
  expect(await change(owner, owner, 'Zone', 'string')).toMatchObject({ status: 409 })
})

test.each([
  ['contact-service::exports::post', 'body::exportFields::neq::Zone'],
  ['contact-service::offers::get', 'query::find::nct::Zone'],
  ['contact-service::exports::post', 'body::name::neq::Zone'],
])('a policy for %s with %s only names the field and does not block the change', async (action, condition) => {
  const owner = await anOwner()
  await policyWith(owner, action, condition)
  expect((await preview(owner, owner, 'Zone', 'string')).obstacle).toBeNull()
})

test('a field hidden by conditions has no preview and cannot be changed', async () => {
  const owner = await anOwner()
  const limited = await memberWith(
    portal,
    owner.account,
    { actions: ['contact-service::offers::get'], conditions: ['query::select::nct::Score'] },
    { actions: ['contact-service::fields::*'] },
  )
  expect(await limited.get(`${await pathOf(owner, 'Score')}?type=string`)).toMatchObject({ status: 404 })
  expect(await change(limited, owner, 'Score', 'string')).toMatchObject({ status: 404 })
})

test('a preview names nothing of a filter that the parent account does not share with the sub-account', async () => {
  const parent = await portal.member(await portal.account())
  const child = await portal.member(await portal.account(undefined, parent.account))
  const fields = { Email: 'string', Plan: 'string' } as const
  for (const { account } of [parent, child]) {
    await addContacts(portal.parts.database, account, fields, [{ Email: 'a@x', Plan: '7' }])
  }
  const keep = async (by: Member, name: string, stages: object[], showInSubaccounts: boolean): Promise<string> => {
    const answer = await by.post(`${service}/rdls`, { name, aggregateQuery: JSON.stringify(stages), showInSubaccounts })
    expect(answer).toMatchObject({ status: 201 })
    return answer.json<{ _id: string }>()._id
  }
  const hidden = await keep(parent, 'Private', [{ $match: { Plan: { $in: ['secret-plan'] } } }], false)
  const shown = await keep(parent, 'Shown', [{ $predefined: hidden }], true)
  await keep(parent, 'Open', [{ $match: { Plan: { $in: ['gold'] } } }], true)
  await keep(child, 'Mine', [{ $predefined: shown }], false)
  const standard = [{ $predefined: shown }]
  const table = { type: 'Table', title: 'A', filter: { standard, columns: ['Plan'] } }
  await createDashboard(child, { name: 'Ours', definition: definition([{ cols: 12, chart: table }]) })
  const problem = 'The saved filter "Shown" does not fit the fields of this account.'
  const { uses } = await preview(child, child, 'Plan', 'number')
  expect(uses.toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? ''))).toEqual([
    { kind: 'filter', name: 'Mine', problem },
    { kind: 'filter', name: 'Open', problem: '"Plan" can be compared with a number, not with "gold".' },
    { kind: 'dashboard', name: 'Ours', problem },
  ])
})

test('a remote access finds contacts by the values of the new type', async () => {
  const owner = await anOwner()
  await addAccess(owner, { filter: '{"Zone":"{{Zone}}"}', publicColumns: 'Email Zone', domainOrIp: 'shop.example.com' })
  const page = stranger(portal, 'https://shop.example.com')
  const ask = () => readOffer(page, owner.account, { Zone: '7' })
  expect((await ask()).body).toMatchObject({ Email: 'a@x', Zone: 7 })
  expect(await change(owner, owner, 'Zone', 'string')).toMatchObject({ status: 200 })
  await vi.waitFor(async () => expect((await ask()).body).toMatchObject({ Email: 'a@x', Zone: '7' }), {
    timeout: 20_000,
  })
})
