import type { FieldType } from '@portico/contract/contacts'
import type { Export, NewExport } from '@portico/contract/exports'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { createExport, exportDraft, exportsPath as path } from '#test/resources/exports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const types: Record<string, FieldType> = { 'First Name': 'string', Age: 'number' }

let portal: TestPortal
let account: number
let member: Member

beforeAll(async () => {
  portal = await startPortal({ mailSenderDomains: ['example.com'] })
  account = await portal.account()
  member = await portal.member(account)
  await addContacts(portal.parts.database, account, types, [{ Age: 1 }])
})
afterAll(() => portal.close())

const anEmail = {
  type: 'email' as const,
  from: 'portal@example.com',
  to: 'ada@example.com',
  subject: 'Ready',
  htmlBody: '<p>{{url}}</p>',
}
const draft = (more: Partial<NewExport> = {}) => exportDraft(Object.keys(types), more)
const create = (more: Partial<NewExport> = {}, by = member) => createExport(by, draft(more))

describe('before a worker starts', () => {
  test('an export waits with all its settings', async () => {
    const aggregateQuery = JSON.stringify([{ $match: { Age: { $gt: 0 } } }])
    const made = await create({
      name: '  Monthly list ',
      exportFields: ['first name', '_id'],
      delimiter: 'pipe',
      aggregateQuery,
    })
    expect(made).toEqual({
      _id: made._id,
      accountId: account,
      name: 'Monthly list',
      creationDate: expect.stringMatching(/^20\d\d-.*Z$/) as string,
      creator: member.email,
      status: 'waiting',
      processedRecords: 0,
      totalRecords: null,
      startDate: null,
      lastActivityDate: null,
      delimiter: 'pipe',
      databaseName: `account_${account}`,
      recoveryCount: 0,
      recoveryError: null,
      exportFields: ['First Name', '_id'],
      aggregateQuery,
      fileSize: null,
      shouldZip: false,
      byteOrderMark: false,
      isExpired: false,
      isRestricted: false,
      notifications: [],
      emailStatus: null,
      emailRecoveryCount: null,
      emailResult: null,
      httpRequestStatus: null,
      httpRequestRecoveryCount: null,
      httpRequestResult: null,
      sftpStatus: null,
      sftpRecoveryCount: null,
      sftpResult: null,
    })
    expect((await member.get(`${path}/${made._id}`)).body).toEqual(made)
    expect((await member.get(`/contact-service/v1/downloads/${made._id}.txt`)).body).toMatchObject({
      error: { code: 'not_ready' },
    })
    expect((await member.put(`${path}/${made._id}`, { cancel: true })).body).toMatchObject({
      status: 'rejected',
      recoveryError: 'cancelled by the user',
    })
    expect((await member.put(`${path}/${made._id}`, { cancel: true })).body).toMatchObject({
      error: { code: 'not_cancellable' },
    })
  })

  test.each<[string, object, object]>([
    [
      'a short name',
      { name: 'abcd' },
      { code: 'invalid_input', details: [{ field: 'name', message: 'Name should have more than 5 charecters' }] },
    ],
    ['no fields', { exportFields: [] }, { details: [{ field: 'exportFields', message: 'Value is required!' }] }],
    [
      'a field that does not exist',
      { exportFields: ['Age', 'Agee'] },
      { details: [{ field: 'exportFields', message: 'Value is invalid! There is no field "Agee".' }] },
    ],
    [
      'a field named twice',
      { exportFields: ['Age', 'age'] },
      { details: [{ field: 'exportFields', message: 'Value is duplicate! "Age" is named twice.' }] },
    ],
    ['an internal part that is no value', { exportFields: ['events'] }, { details: [{ field: 'exportFields' }] }],
    ['another delimiter', { delimiter: 'comma' }, { details: [{ field: 'delimiter' }] }],
    [
      'what it does not know',
      { publicKey: 'PGP' },
      { details: [{ field: 'publicKey', message: 'This field is not known.' }] },
    ],
    [
      'more than one notification',
      { notifications: [anEmail, anEmail] },
      { details: [{ field: 'notifications', message: 'At most 1 notification.' }] },
    ],
    [
      'a field that events have not',
      { exportFields: ['events.colour'] },
      { details: [{ field: 'exportFields', message: 'Value is invalid! There is no field "events.colour".' }] },
    ],
    [
      'a column that the groups have not',
      { exportFields: ['Age', 'First Name'], aggregateQuery: '[{"$group":{"_id":{"Age":"$Age"},"n":{"$sum":1}}}]' },
      {
        details: [
          {
            field: 'exportFields',
            message: 'Value is invalid! The groups have no column "First Name", but "Age", "n".',
          },
        ],
      },
    ],
    [
      'more columns of groups than fit',
      {
        exportFields: Array.from({ length: 401 }, (_, at) => `n${at}`),
        aggregateQuery: JSON.stringify([
          {
            $group: {
              _id: null,
              ...Object.fromEntries(Array.from({ length: 401 }, (_, at) => [`n${at}`, { $sum: 1 }])),
            },
          },
        ]),
      },
      {
        details: [
          { field: 'exportFields', message: 'An export can have at most 400 custom event fields or group columns.' },
        ],
      },
    ],
    [
      'a group by a field that does not exist',
      { exportFields: ['_id'], aggregateQuery: '[{"$group":{"_id":"$Town"}}]' },
      { code: 'invalid_filter', message: 'Unexpected field in standard filter: "Town"' },
    ],
    [
      'a saved filter that is not there',
      { aggregateQuery: '[{"$predefined":"00000000-0000-4000-8000-000000000000"}]' },
      { code: 'invalid_filter', message: 'The saved filter could not be found.' },
    ],
    [
      'a filter of events in an order that means something else',
      { aggregateQuery: '[{"$unwind":"$events"},{"$limit":1},{"$match":{"events.os":"x"}}]' },
      { code: 'invalid_filter', message: '"$match" must come before "$limit".' },
    ],
    [
      'a projection that names what not to give',
      { aggregateQuery: '[{"$project":{"First Name":0}}]' },
      { code: 'invalid_filter', message: '"$project" leaves out "First Name", which the export needs.' },
    ],
    [
      'a filter that is not JSON',
      { aggregateQuery: '[{' },
      { code: 'invalid_filter', message: expect.stringContaining('The filter is not JSON') },
    ],
    [
      'a filter that is no list',
      { aggregateQuery: '{"$match":{}}' },
      { code: 'invalid_filter', message: 'Should be an array' },
    ],
    ['a filter with something else in it', { aggregateQuery: '[1]' }, { code: 'invalid_filter' }],
    [
      'an unknown operator',
      { aggregateQuery: '[{"$match":{"Age":{"$near":1}}}]' },
      { code: 'invalid_filter', message: 'Unknown Operator: "$near"' },
    ],
    [
      'an unknown stage',
      { aggregateQuery: '[{"$out":"x"}]' },
      { code: 'invalid_filter', message: 'Unknown Operator: "$out"' },
    ],
    [
      'an expression that only the database refuses',
      { aggregateQuery: '[{"$match":{"First Name":{"$regex":"(?<a>b)"}}}]' },
      { code: 'invalid_filter', message: expect.stringContaining('invalid regular expression') },
    ],
    [
      'stages in an order that means something else',
      { aggregateQuery: '[{"$limit":1},{"$match":{}}]' },
      { code: 'invalid_filter', message: '"$match" must come before "$limit".' },
    ],
    [
      'a projection without the fields',
      { aggregateQuery: '[{"$project":{"Age":1}}]' },
      { code: 'invalid_filter', message: '"$project" leaves out "First Name", which the export needs.' },
    ],
  ])('%s is refused', async (_what, more, error) => {
    const answer = await member.post(path, { ...draft(), ...more })
    expect([answer.status, answer.body]).toMatchObject([400, { error }])
  })

  test('a name can be used once, ignoring case', async () => {
    const { name } = await create({ name: 'Straße ÉTÉ' })
    const answer = await member.post(path, draft({ name: name.toLowerCase() }))
    expect([answer.status, answer.body]).toMatchObject([
      409,
      { error: { code: 'name_taken', details: [{ field: 'name' }] } },
    ])
    const twice = await Promise.all([1, 2, 3].map(() => member.post(path, draft({ name: 'At the same time' }))))
    expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  })
})

describe('export permissions', () => {
  test('each call requires its action and the account of the export', async () => {
    const { _id } = await create()
    const calls = (by: Pick<Member, 'get' | 'post' | 'put'>) => [
      by.get(path),
      by.get(`${path}/${_id}`),
      by.post(path, draft()),
      by.put(`${path}/${_id}`, { cancel: true }),
      by.get(`/contact-service/v1/downloads/${_id}.csv`),
    ]
    const statuses = async (by: Pick<Member, 'get' | 'post' | 'put'>) =>
      (await Promise.all(calls(by))).map(({ status }) => status)
    expect(await statuses(portal.anonymous)).toEqual([401, 401, 401, 401, 401])
    expect(await statuses(await portal.member(account, 'contact-service::imports::get'))).toEqual([
      403, 403, 403, 403, 403,
    ])
    // Another account can access neither the export nor its fields.
    const stranger = await portal.member(await portal.account())
    expect(await statuses(stranger)).toEqual([200, 404, 400, 404, 404])
    expect((await stranger.get(path)).body).toEqual([])
    for (const id of ['0', 'abc', '-1', '99999999999999999999', `${_id}'`]) {
      expect([id, (await member.get(`${path}/${encodeURIComponent(id)}`)).status]).toEqual([id, 404])
    }
  })
})

describe('the list', () => {
  test('is newest first and can be filtered, sorted, paged and counted', async () => {
    const own = await portal.account()
    const by = await portal.member(own)
    await addContacts(portal.parts.database, own, { A: 'string' }, [])
    for (const name of ['banana', 'Cherry', 'apple']) await create({ name, exportFields: ['A'] }, by)
    const listed = async (query: string) => (await by.get(`${path}?${query}`)).json<Export[]>().map(({ name }) => name)
    const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
    expect(await listed('')).toEqual(['apple', 'Cherry', 'banana'])
    expect(await listed(`sort=${json({ name: 1 })}&limit=2`)).toEqual(['apple', 'banana'])
    expect(await listed(`sort=${json({ status: 1 })}&skip=1`)).toEqual(['Cherry', 'banana'])
    expect(await listed(`find=${json([{ $match: { name: { $regex: 'CHE', $options: 'i' } } }])}`)).toEqual(['Cherry'])
    expect(await listed(`find=${json([{ $match: { status: 'completed' } }])}`)).toEqual([])
    expect(
      (await by.get(`${path}?count=&find=${json([{ $match: { creationDate: { $gt: '2020-01-01' } } }])}`)).body,
    ).toEqual({ count: 3 })
    for (const query of [
      `find=${json([{ $match: { file_key: 'x' } }])}`,
      `sort=${json({ cancel_requested: 1 })}`,
      'select=name',
    ]) {
      expect([query, (await by.get(`${path}?${query}`)).status]).toEqual([query, 400])
    }
  })
})

describe('an export', () => {
  test('is recorded in the audit log', async () => {
    const { _id, name } = await create()
    const { rows } = await portal.parts.database.pool.query(
      `SELECT actor, action, details->>'id' AS id FROM portico.audit_log WHERE account_id = $1 AND subject = $2 AND action LIKE 'export %'`,
      [account, name],
    )
    expect(rows).toEqual([{ actor: member.email, action: 'export created', id: _id }])
  })
})
