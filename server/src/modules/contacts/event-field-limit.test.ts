import { accountLimits } from '@portico/contract/account-limits'
import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { ended, importFile, upload } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const { most } = accountLimits.eventFields
const fieldsPath = '/contact-service/v1/fields/events'
const message =
  'An account has at most 2,000 custom event fields. Use one that it has, or remove one that no event has.'

let portal: TestPortal
let member: Member
let contactId: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
  const [id] = await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }])
  contactId = id ?? ''
})

const event = (own: object) => ({ event_code: 'buy', event_date: '2026-05-06T07:08:09Z', ...own })
const post = (body: unknown): Promise<Answer> => member.post(`/contact-service/v1/offers/${contactId}/events`, body)
const numberOfFields = async (): Promise<number> => (await member.get(fieldsPath)).json<unknown[]>().length
const numberOfEvents = async (): Promise<number> =>
  (await member.get(`/contact-service/v1/offers/${contactId}`)).json<{ events: unknown[] }>().events.length

/** Gives the account fields named `known 1`, `known 2` …, as an earlier release allowed. */
async function haveFields(count: number): Promise<void> {
  await portal.parts.database.pool.query(
    `INSERT INTO account_${member.account}.event_fields (name) SELECT 'known ' || n FROM generate_series(1, $1) n`,
    [count],
  )
}

async function importEvents(file: string): Promise<Import> {
  await upload(portal, member, 'events.csv', file)
  const settings = { name: 'Some events', filePath: 'events.csv', fileDelimiter: 'comma', processBatchSize: 25 }
  const reply = await member.post('/contact-service/v1/imports', {
    ...settings,
    kind: 'events',
    keyColumn: 'Name',
    keyField: 'Name',
  })
  expect(reply).toMatchObject({ status: 201 })
  return ended(member, reply.json<Import>()._id)
}

describe('an account at the limit of event fields', () => {
  test('refuses a new field by name from every source and records nothing of that request', async () => {
    await haveFields(most - 1)
    expect(await post(event({ 'known 1': 1, last: 2, beyond: 3 }))).toMatchObject({ status: 400 })
    expect(await post(event({ 'known 1': 1, last: 2 }))).toMatchObject({ status: 201 })

    expect(fieldProblems(await post(event({ beyond: 1 })))).toEqual([{ field: 'beyond', message }])
    expect(fieldProblems(await post(event({ details: { beyond: 1 } })))).toEqual([{ field: 'details.beyond', message }])
    const several = [event({ last: 1 }), event({ last: 1 }), event({ details: { last: 1, beyond: 2 } })]
    expect(fieldProblems(await post(several))).toEqual([{ field: '2.details.beyond', message }])
    expect(fieldProblems(await member.post(fieldsPath, { name: 'beyond' }))).toEqual([{ field: 'name', message }])
    expect(await importEvents('Name,event_code,event_date,known 1,beyond\nAda,buy,2026-05-06,1,2\n')).toMatchObject({
      status: 'rejected',
      recoveryError: `Column 5, "beyond", cannot be imported. ${message}`,
    })

    expect(await numberOfFields()).toBe(most)
    expect(await numberOfEvents()).toBe(1)
  })

  test('continues to use its fields, even above the limit from an earlier release', async () => {
    await haveFields(most + 100)
    expect(await post([event({ 'known 1': 1 }), event({ 'known 2100': 1 })])).toMatchObject({ status: 201 })
    expect(await member.post(fieldsPath, { name: 'known 7' })).toMatchObject({ status: 201 })
    expect(await importEvents('Name,event_code,event_date,known 3\nAda,buy,2026-05-06,1\n')).toMatchObject({
      status: 'completed',
      createdRecords: 1,
    })
    expect(fieldProblems(await post(event({ beyond: 1 })))).toEqual([{ field: 'beyond', message }])
    expect(await numberOfFields()).toBe(most + 100)
    expect(await numberOfEvents()).toBe(3)
  })

  test('can remove an unused field and then add another', async () => {
    await haveFields(most)
    expect(await member.delete(`${fieldsPath}/known%205`)).toMatchObject({ status: 200 })
    expect(await post(event({ other: 1 }))).toMatchObject({ status: 201 })
    expect(await numberOfFields()).toBe(most)
  })
})

test('simultaneous requests do not exceed the limit', async () => {
  await haveFields(most - 3)
  const replies = await Promise.all(Array.from({ length: 12 }, (_, at) => post(event({ [`fresh ${at}`]: 1 }))))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(9)
  expect(await numberOfFields()).toBe(most)
})

test('each account has its own limit', async () => {
  await haveFields(most)
  member = await portal.member(await portal.account())
  const [id] = await addContacts(portal.parts.database, member.account, { Name: 'string' }, [{ Name: 'Ada' }])
  contactId = id ?? ''
  expect(await post(event({ beyond: 1 }))).toMatchObject({ status: 201 })
})

test('an import of contacts creates no field beyond the limit and can use existing fields', async () => {
  await portal.parts.database.pool.query(
    `INSERT INTO account_${member.account}.fields (id, name, name_key, type, part, created_at)
     SELECT n, 'known ' || n, 'known ' || n, 'string', 1 + (n - 1) / 300, now() FROM generate_series(2, $1::int) n`,
    [accountLimits.contactFields.most],
  )
  expect(await importFile(portal, member, 'Name,Beyond\nAlan,1\n')).toMatchObject({
    status: 'rejected',
    recoveryError:
      'Column 2, "Beyond", cannot be imported. An account has at most 5,000 fields of contacts. Use one that it has, or delete one that is not needed.',
  })
  expect(await importFile(portal, member, 'Name\nAlan\n')).toMatchObject({ status: 'completed', createdRecords: 1 })
})
