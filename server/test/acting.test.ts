import type { Export } from '@portico/contract/exports'
import type { NotificationInput } from '@portico/contract/notifications'
import type { RemoteAccess, RemoteAccessUsage } from '@portico/contract/remote-access'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runExport } from '#exports'
import { logOf } from '#test/kit/administration.ts'
import { memberWith, setConditions } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, newCron, runsOf } from '#test/resources/crons.ts'
import { refused, removeIdentity } from '#test/resources/dashboards.ts'
import { attemptNow, exportWith } from '#test/resources/deliveries.ts'
import { createExport, exportDraft, exportsPath, readExport } from '#test/resources/exports.ts'
import { anImport, ended, upload } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess, newAccess, noLimits, readOffer, stranger } from '#test/resources/remote-accesses.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'
import { startWebhookServer, type WebhookServer } from '#test/stand-ins/webhook-server.ts'

// Crons, saved filters, remote accesses and exports act with the current rights and conditions of the identity that
// stored them. For dashboards, see cells-acting.test.ts.

let portal: TestPortal
let server: WebhookServer
let owner: Member

beforeAll(async () => {
  server = await startWebhookServer()
  portal = await startPortal({ remoteAccessLimits: noLimits, outboundAllow: ['127.0.0.1'] })
})
afterAll(async () => {
  await portal.close()
  await server.close()
})
beforeEach(async () => {
  const account = await portal.account()
  const rows = [
    { Name: 'Ada', Salary: 9 },
    { Name: 'Bob', Salary: 1 },
  ]
  await addContacts(portal.parts.database, account, { Name: 'string', Salary: 'number' }, rows)
  owner = await portal.member(account)
})

const everything = ['*::*::*']
const stagesOf = (field: string) => [{ $match: { [field]: { $exists: true } } }]
const textOf = (stages: object[]) => JSON.stringify(stages)
const offers = '/contact-service/v1/offers'
const rdls = '/contact-service/v1/rdls'

describe('a saved filter', () => {
  const save = (by: Member, name: string, stages: object[]) => by.post(rdls, { name, aggregateQuery: textOf(stages) })
  const idOf = async (by: Member, name: string, field: string): Promise<string> =>
    (await save(by, name, stagesOf(field))).json<{ _id: string }>()._id
  const uses = (by: Member, id: string) => {
    const named = [{ $predefined: id }]
    return {
      find: by.get(`${offers}?find=${encodeURIComponent(textOf(named))}`),
      aggregate: by.get(`${offers}?aggregate=${encodeURIComponent(textOf(named))}`),
      export: by.post(exportsPath, exportDraft(['Name'], { aggregateQuery: textOf(named) })),
      cron: by.post(crons, newCron({ instruction: { ...exportDraft(['Name']), aggregateQuery: textOf(named) } })),
      // Nothing is deleted: the number does not match.
      delete: by.delete(offers, { filter: named, deletedRecords: 3 }),
    }
  }
  const statusesOf = async (by: Member, id: string): Promise<Record<string, number>> => {
    const answers = Object.entries(uses(by, id)).map(async ([name, answer]) => [name, (await answer).status] as const)
    return Object.fromEntries(await Promise.all(answers))
  }
  const allowed = { find: 200, aggregate: 200, export: 201, cron: 201, delete: 409 }
  const never = { find: 403, aggregate: 403, export: 403, cron: 403, delete: 403 }
  const conditions = [
    'query::find::nct::salary',
    'body::aggregateQuery::nct::salary',
    'body::instruction.aggregateQuery::nct::salary',
    'body::filter::nct::salary',
  ]
  let limited: Member
  beforeEach(async () => {
    limited = await memberWith(portal, owner.account, { actions: everything })
  })

  test('is refused if its saver may not search with it, as is everything that uses it by name', async () => {
    const named = await idOf(limited, 'Paid', 'Salary')
    expect(await statusesOf(limited, named)).toEqual(allowed)
    await setConditions(portal, limited, conditions)
    expect(await save(limited, 'Also paid', stagesOf('Salary'))).toMatchObject(refused(403, 'not_allowed'))
    expect(
      await limited.put(`${rdls}/${named}`, { name: 'Paid', aggregateQuery: '[{"$match":{"Salary":1}}]' }),
    ).toMatchObject({
      status: 403,
    })
    expect(await statusesOf(limited, named)).toEqual(never)
    expect(await statusesOf(limited, await idOf(limited, 'Outer', 'Name'))).toEqual(allowed)
  })

  test('can be used by callers who may use its stages; by others only while its saver may', async () => {
    await setConditions(portal, limited, conditions)
    const saver = await memberWith(portal, owner.account, { actions: everything })
    const id = await idOf(saver, 'Of someone else', 'Salary')
    expect(await statusesOf(owner, id)).toEqual(allowed)
    expect(await statusesOf(limited, id)).toEqual(never)
    const around = [{ $predefined: id }, ...stagesOf('Name')]
    expect(await save(limited, 'Around it', around)).toMatchObject(refused(403, 'not_allowed'))
    const outer = (await save(saver, 'Around it', around)).json<{ _id: string }>()._id
    expect(await statusesOf(owner, outer)).toEqual(allowed)
    expect(await statusesOf(limited, outer)).toEqual(never)
    await removeIdentity(portal, saver)
    const forOneself = { ...allowed, export: 403, cron: 403 }
    expect(await statusesOf(owner, id)).toEqual(forOneself)
    expect(await statusesOf(owner, outer)).toEqual(forOneself)
    expect(await statusesOf(limited, outer)).toEqual(never)
  })
})

describe('a cron', () => {
  const conditions = ['body::exportFields::nct::salary', 'body::instruction.exportFields::nct::salary']

  test('has no run that its identity may no longer request', async () => {
    const author = await memberWith(portal, owner.account, { actions: everything })
    const cron = await addCron(author, { instruction: exportDraft(['Salary']) })
    await setConditions(portal, author, conditions)
    expect(await author.post(crons, newCron({ instruction: exportDraft(['Salary']) }))).toMatchObject({ status: 403 })
    expect(await author.post(`${crons}/${cron._id}/run`)).toMatchObject({ status: 403 })
    expect(await owner.post(`${crons}/${cron._id}/run`)).toMatchObject({ status: 202 })
    await runSchedulerOnce(portal.parts)
    expect(await runsOf(owner, cron._id)).toContainEqual(
      expect.objectContaining({ status: 'terminated', comment: expect.stringContaining('may not export contacts') }),
    )
  })
})

describe('an export', () => {
  test('is not written if its identity may no longer request it', async () => {
    const author = await memberWith(portal, owner.account, { actions: everything })
    const { _id } = await createExport(author, exportDraft(['Salary']))
    await setConditions(portal, author, ['body::exportFields::nct::salary'])
    await runExport(portal.parts, owner.account, _id, new AbortController().signal)
    expect(await readExport(owner, _id)).toMatchObject({
      status: 'rejected',
      recoveryError: expect.stringContaining('no longer allow it'),
    })
  })
})

describe('the delivery of an export', () => {
  const aPost = (): NotificationInput => ({
    type: 'http',
    method: 'post',
    endpoint: `${server.url}/hook`,
    headers: {},
    body: { file: '{{url}}' },
  })

  test('is made or repeated only while its identity may request it', async () => {
    const author = await memberWith(portal, owner.account, { actions: everything })
    const made: Export = await exportWith(portal, author, aPost())
    await setConditions(portal, author, ['body::notifications.endpoint::nct::127.0.0.1'])
    const sent = await attemptNow(portal, owner, made._id)
    expect(sent).toMatchObject({ status: 'rejected', result: expect.stringContaining('no longer has the right') })
    expect(server.received).toHaveLength(0)
    const again = `${exportsPath}/${made._id}/deliveries/${sent._id}/resend`
    expect(await owner.post(again)).toMatchObject({ status: 200 })
    expect(await attemptNow(portal, owner, made._id)).toMatchObject({ status: 'rejected' })
    expect(server.received).toHaveLength(0)
    await setConditions(portal, author, [])
    expect(await owner.post(again)).toMatchObject({ status: 200 })
    expect(await attemptNow(portal, owner, made._id)).toMatchObject({ status: 'completed' })
    expect(server.received).toHaveLength(1)
  })
})

describe('a remote access', () => {
  beforeAll(() => portal.startWorker())
  const shop = () => stranger(portal, 'https://shop.example.com')
  const settings = { filter: '{"Name":"{{Name}}"}', publicColumns: 'Salary' }

  test('serves nothing that its saver may no longer publish, and gives the owners the reason', async () => {
    const author = await memberWith(portal, owner.account, { actions: everything })
    const { _id: id } = await addAccess(author, settings)
    const read = () => readOffer(shop(), owner.account, { Name: 'Ada' })
    expect(await read()).toMatchObject({ status: 200, body: { Salary: 9 } })
    await setConditions(portal, author, ['body::publicColumns::nct::salary'])
    expect(await author.post(accessPath, newAccess(settings))).toMatchObject({ status: 403 })
    await expect.poll(async () => (await read()).status, { timeout: 5000 }).toBe(403)
    expect((await read()).body).toMatchObject({ error: { code: 'access_refused' } })
    const usage = async () => (await owner.get(`${accessPath}/${id}/usage`)).json<RemoteAccessUsage>().refusedOrigins
    await expect.poll(async () => (await usage())[0]?.refusal, { timeout: 5000 }).toBe('saver_not_allowed')
    const listed = (await owner.get(accessPath)).json<RemoteAccess[]>()
    expect(listed).toMatchObject([{ _id: id, stopped: expect.stringContaining('no longer allow it') }])
    const trial = { origin: 'https://shop.example.com', query: { Name: 'Ada' } }
    expect((await owner.post(`${accessPath}/trial`, trial)).body).toMatchObject({ refusal: 'saver_not_allowed' })
    expect(await owner.put(`${accessPath}/${id}`, newAccess(settings))).toMatchObject({
      status: 200,
      body: { stopped: null },
    })
    expect(await read()).toMatchObject({ status: 200, body: { Salary: 9 } })
  })

  test('ends with the identity of its saver', async () => {
    const author = await portal.member(owner.account)
    await addAccess(author, settings)
    await removeIdentity(portal, author)
    await expect
      .poll(async () => (await readOffer(shop(), owner.account, { Name: 'Ada' })).status, { timeout: 5000 })
      .toBe(403)
  })
})

describe('the automatic export of an import', () => {
  test('requires the right to export when the import is requested and when it ends', async () => {
    const importer = await memberWith(portal, owner.account, { actions: everything })
    const file = 'Name,Salary\nCleo,3\n'
    await upload(portal, importer, 'contacts.csv', file)
    const draft = anImport({ name: 'New people', exportOnImportCompletion: true })
    await setConditions(portal, importer, ['body::exportFields::nct::salary'])
    const accepted = await importer.post('/contact-service/v1/imports', draft)
    expect(accepted).toMatchObject({ status: 201 })
    const done = await ended(importer, accepted.json<{ _id: string }>()._id)
    expect(done).toMatchObject({ status: 'completed', processedRecords: 1 })
    expect((await owner.get(exportsPath)).json<Export[]>()).toEqual([])
    const entries = await logOf(portal, `New people - import ${done._id}`)
    expect(entries).toMatchObject([{ action: 'automatic export refused', actor: importer.email }])
    const cannotExport = await portal.member(
      owner.account,
      'contact-service::imports::post',
      'contact-service::uploads::get',
    )
    expect(await cannotExport.post('/contact-service/v1/imports', draft)).toMatchObject(refused(403, 'not_allowed'))
  })
})
