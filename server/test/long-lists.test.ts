import type { Export } from '@portico/contract/exports'
import { filterLimits } from '@portico/contract/filter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, makeDue, runsOf } from '#test/resources/crons.ts'
import { createExport, downloadExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'

// The largest list that a filter may have is saved, exported and scheduled as well as searched for.

const addresses = Array.from(
  { length: 10_000 },
  (_address, at) => `some.rather.long.name.of.person.${at}@example-company.com`,
)
const stages = JSON.stringify([{ $match: { $and: [{ Email: { $in: addresses } }] } }])

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  member = await portal.member(await portal.account())
  const people = [...addresses.slice(0, 3), 'other@example.com'].map((Email) => ({ Email }))
  await addContacts(portal.parts.database, member.account, { Email: 'string' }, people)
})
afterAll(() => portal.close())

test('a filter of 10,000 addresses is saved, changed and used', async () => {
  const draft = { name: 'Ten thousand', aggregateQuery: stages, showInSubaccounts: false }
  const saved = await member.post('/contact-service/v1/rdls', draft)
  expect(saved.status).toBe(201)
  const { _id } = saved.json<{ _id: string }>()
  expect(await member.put(`/contact-service/v1/rdls/${_id}`, { ...draft, name: 'Renamed' })).toMatchObject({
    status: 200,
  })
  const find = encodeURIComponent(JSON.stringify([{ $predefined: _id }]))
  expect((await member.get(`/contact-service/v1/offers?find=${find}&count=`)).body).toEqual({ count: 3 })
})

test('such a filter can be exported', async () => {
  const { _id } = await createExport(member, exportDraft(['Email'], { aggregateQuery: stages }))
  expect(await endedExport(member, _id)).toMatchObject({ status: 'completed', totalRecords: 3 })
  expect((await downloadExport(portal, member, `${_id}.csv`)).text.split('\n')).toHaveLength(5)
})

test.each([
  ['an object', (instruction: object) => instruction],
  ['a text', (instruction: object) => JSON.stringify(instruction)],
])('such a filter can be scheduled, with its instruction as %s, and runs', async (_form, sent) => {
  const instruction = { name: `Daily ${_form}`, delimiter: 'csv', exportFields: ['Email'], aggregateQuery: stages }
  const { _id } = await addCron(member, { instruction: sent(instruction) as Record<string, unknown> })
  await makeDue(portal, _id, new Date(Date.now() - 60_000))
  await runSchedulerOnce(portal.parts)
  await expect
    .poll(async () => (await runsOf(member, _id)).map(({ status }) => status), { timeout: 40_000 })
    .toContain('completed')
  const exported = (await member.get('/contact-service/v1/exports?limit=1')).json<Export[]>()
  expect(exported[0]).toMatchObject({ totalRecords: 3 })
})

test('a longer filter is refused at its field', async () => {
  const aggregateQuery = JSON.stringify([{ $match: { Email: 'x'.repeat(filterLimits.storedLength) } }])
  const problem = { field: 'aggregateQuery', message: 'This is larger than allowed.' }
  const draft = { name: 'Too long', aggregateQuery, showInSubaccounts: false }
  expect(fieldProblems(await member.post('/contact-service/v1/rdls', draft))).toEqual([problem])
  expect(
    fieldProblems(await member.post('/contact-service/v1/exports', exportDraft(['Email'], { aggregateQuery }))),
  ).toEqual([problem])
})
