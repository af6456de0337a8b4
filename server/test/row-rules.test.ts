import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { identityOf, memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, makeDue } from '#test/resources/crons.ts'
import { createDashboard, definition, inAccounts } from '#test/resources/dashboards.ts'
import { createExport, downloadExport, endedExport, exportDraft, readExport } from '#test/resources/exports.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, newAccess } from '#test/resources/remote-accesses.ts'
import { dueAt, endOfFirstRun, fileOf, instructionFor, reportCron } from '#test/resources/reports.ts'
import { restrictedMember, setRowRule } from '#test/resources/row-rules.ts'

const offers = '/contact-service/v1/offers'
const bern = [{ $match: { City: 'Bern' } }]
const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
const refusal = { status: 403, body: { error: { code: 'not_allowed' } } }
const missing = { status: 404, body: { error: { code: 'not_found' } } }

let portal: TestPortal
let owner: Member
let restricted: Member
/** Ids of contacts in Bern, and of one elsewhere whose values all contain the word Hidden. */
let visible: string[]
let hidden: string
/** Ids for the paths of calls, by resource; the objects belong to the owner and are made of all contacts. */
let owned: Record<string, string>

const cells = [
  { type: 'PaginaTable', title: 'All', filter: { standard: [], columns: ['Name', 'City'], sort: { Name: 1 } } },
  {
    type: 'Pie',
    title: 'Cities',
    filter: { standard: [{ $group: { _id: '$City', n: { $count: {} } } }] },
    options: { colors: ['#1971c2'] },
  },
]

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  await portal.startWorker()
  const imported = await importFile(portal, owner, 'Name,City\nHidden in file,Hidden\n', { generatePURL: false })
  const types = { Name: 'string', City: 'string', Age: 'number' } as const
  const people = [
    { Name: 'Ada', City: 'Bern', Age: 30 },
    { Name: 'Bob', City: 'Bern', Age: 40 },
    { Name: 'Hidden person', City: 'Hidden', Age: 50 },
  ]
  const ids = await addContacts(portal.parts.database, owner.account, types, people, () => ({ importId: 7 }))
  visible = ids.slice(0, 2)
  hidden = ids[2] ?? ''
  const event = { event_code: 'Hidden event', event_date: '2026-05-06T07:08:09Z' }
  await owner.post(`${offers}/${hidden}/events`, event)
  const exported = await createExport(owner, exportDraft(['Name', 'City']))
  const hasEnded = async () => {
    if ((await readExport(owner, exported._id)).status !== 'completed') throw new Error('the export is not completed')
  }
  await vi.waitFor(hasEnded, { timeout: 60_000, interval: 100 })
  const layout = definition(cells.map((chart, at) => ({ id: `cell${at}`, cols: 6, chart })))
  const dashboard = await createDashboard(owner, { definition: layout, sharedWith: inAccounts(owner.account) })
  const access = await owner.post(accessPath, newAccess({ filter: '{"Name":"{{Name}}"}', publicColumns: 'City' }))
  owned = {
    offers: hidden,
    imports: imported._id,
    exports: exported._id,
    downloads: `${exported._id}.csv`,
    dashboards: dashboard._id,
    remoteAccess: access.json<{ _id: string }>()._id,
  }
  restricted = await restrictedMember(portal, owner.account, bern)
}, 120_000)
afterAll(() => portal.close())

const names = async (client: Client, query = ''): Promise<string[]> => {
  const { body } = await client.get(`${offers}?select=Name&sort=${json({ Name: 1 })}&${query}`)
  return (body as { Name: string }[]).map(({ Name }) => Name)
}

describe('every call that reads', () => {
  const reads = (Object.entries(api) as [string, Route][]).filter(
    ([, { access, method, path }]) =>
      access.includes('::') && (method === 'GET' || /\/(cells|previews|trial)/.test(path)),
  )
  const queries: Record<string, string> = {
    suggestOffers: 'text=hidden',
    listCrons: 'consumerCode=EXPORT',
    listSchedules: 'consumerCode=EXPORT',
    rateColumns: 'column=Name',
    geocode: 'address1=x&city=y',
    estimateIndex: 'field=Name',
    getFieldIndex: 'field=Name',
  }
  const bodies: Record<string, () => object> = {
    answerCell: () => ({ version: 1, refresh: true }),
    previewCell: () => ({ chart: cells[0] }),
    tryRemoteAccess: () => ({
      origin: 'https://shop.example',
      query: { Name: 'Hidden person' },
      draft: newAccess({ domainOrIp: 'shop.example', filter: '{"Name":"{{Name}}"}', publicColumns: 'City' }),
    }),
  }
  const ask = (client: Client, name: string, { method, path }: Route) => {
    const resource = path.split('/')[3] ?? ''
    const values: Record<string, string> = {
      id: path.includes('/files/') ? `export-${owned['exports']}` : (owned[resource] ?? 'x'),
      contact: hidden,
      file: owned[resource] ?? 'x',
      cell: 'cell0',
      version: '1',
      fileName: 'contacts.csv',
    }
    const filled = path.replaceAll(/:(\w+)/g, (_whole, key: string) => values[key] ?? 'x')
    const query = queries[name]
    if (method === 'GET') return client.get(query ? `${filled}?${query}` : filled)
    return client.post(filled, bodies[name]?.() ?? {})
  }
  let shown = 0

  test.each(reads)('returns nothing of a contact outside the rule: %s', async (name, route) => {
    const toOwner = await ask(owner, name, route)
    const toRestricted = await ask(restricted, name, route)
    // The names of event fields and imports, and of the owner's work, are not contacts.
    expect(JSON.stringify(toRestricted.body)).not.toContain('Hidden')
    // A link for an upload reveals nothing.
    expect(name === 'createUpload' ? '' : JSON.stringify(toRestricted.body)).not.toContain('/files/')
    if (/Hidden|\/files\//.test(JSON.stringify(toOwner.body))) shown++
    expect([200, 403, 404]).toContain(toOwner.status === 200 ? toRestricted.status : 200)
  })

  test('often returns it to a caller without a rule', () => expect(shown).toBeGreaterThan(6))
})

describe('a search', () => {
  test.each([
    `find=${json([{ $match: { $or: [{ City: 'Bern' }, { City: { $ne: 'Bern' } }] } }])}`,
    `find=${json([{ $match: { $nor: [{ City: 'Bern' }] } }])}`,
    `find=${json([{ $match: { _id: { $exists: true } } }])}&skip=1`,
    'limit=1000',
  ])('finds only contacts that pass the rule: %s', async (query) => {
    for (const name of await names(restricted, query)) expect(['Ada', 'Bob']).toContain(name)
  })

  test.each([
    [[{ $group: { _id: '$City', n: { $count: {} } } }], [{ _id: 'Bern', n: 2 }]],
    [[{ $count: 'n' }], [{ n: 2 }]],
    [[{ $unwind: '$events' }, { $group: { _id: '$events.event_code' } }], []],
    [[{ $skip: 1 }, { $group: { _id: null, oldest: { $max: '$Age' } } }], [{ oldest: 40 }]],
  ])('groups, counts and unwinds only contacts that pass the rule: %j', async (stages, rows) => {
    const { body } = await restricted.get(`${offers}?aggregate=${json(stages)}`)
    expect((body as Record<string, unknown>[]).map((row) => rounded(row, rows[0]))).toEqual(rows)
  })

  test('counts only contacts that pass the rule, even together with a page', async () => {
    expect((await restricted.get(`${offers}?count=`)).body).toEqual({ count: 2 })
    expect((await restricted.get(`${offers}?withCount=&limit=1`)).body).toMatchObject({ count: 2 })
  })

  test('cannot continue after a contact outside the rule', async () => {
    expect((await restricted.get(`${offers}?after=${hidden}`)).status).toBe(400)
    expect((await restricted.get(`${offers}?after=${visible[0]}`)).body).toHaveLength(1)
  })
})

/** Returns only the expected columns. */
const rounded = (row: Record<string, unknown>, like: object | undefined) =>
  Object.fromEntries(Object.keys(like ?? row).map((key) => [key, row[key]]))

describe('a contact', () => {
  test('outside the rule does not exist for reading or for adding events', async () => {
    expect(await restricted.get(`${offers}/${hidden}`)).toMatchObject(missing)
    expect((await restricted.get(`${offers}/${visible[0]}`)).status).toBe(200)
    const event = { event_code: 'buy', event_date: '2026-05-06T07:08:09Z' }
    expect(await restricted.post(`${offers}/${hidden}/events`, event)).toMatchObject(missing)
    expect((await restricted.post(`${offers}/${visible[0]}/events`, event)).status).toBe(201)
  })

  test('is looked up again when the rule changes between two requests', async () => {
    const member = await restrictedMember(portal, owner.account, bern)
    const identity = await identityOf(portal, member)
    for (const [rule, seen] of [
      [bern, ['Ada', 'Bob']],
      [[{ $match: { Age: 40 } }], ['Bob']],
      [bern, ['Ada', 'Bob']],
    ] as const) {
      await setRowRule(portal, identity, [...rule])
      // The second of each begins before the caller is authenticated.
      expect(await names(member)).toEqual(seen)
      expect(await names(member)).toEqual(seen)
    }
  })
})

describe('files', () => {
  test('of an export contain only contacts that pass the rule, and can be opened', async () => {
    const filter = JSON.stringify([{ $match: { $or: [{ City: 'Bern' }, { City: { $ne: 'Bern' } }] } }])
    for (const more of [{}, { aggregateQuery: filter }]) {
      const made = await endedExport(restricted, (await createExport(restricted, exportDraft(['Name'], more)))._id)
      expect(made).toMatchObject({ status: 'completed', totalRecords: 2 })
      expect((await downloadExport(portal, restricted, `${made._id}.csv`)).text).toBe('Name\nAda\nBob\n')
    }
  })

  test('of others cannot be opened, nor rows that an import has set aside', async () => {
    expect(await restricted.get(`/contact-service/v1/downloads/${owned['downloads']}`)).toMatchObject(refusal)
    const list = (await owner.get(api.listDownloads.path)).json<{ _id: string }[]>()
    expect(list.length).toBeGreaterThan(0)
    for (const { _id } of list.filter((file) => file._id === `export-${owned['exports']}`)) {
      expect(await restricted.get(api.openDownload.path.replace(':id', _id))).toMatchObject(refusal)
    }
    expect(await restricted.get(`/contact-service/v1/imports/${owned['imports']}/set-aside`)).toMatchObject(refusal)
  })

  test('of crons follow the rule of their identity', async () => {
    const cron = await addCron(restricted, {
      name: 'Restricted',
      instruction: { name: 'Restricted', delimiter: 'csv', exportFields: ['Name'] },
    })
    await makeDue(portal, cron._id, new Date(Date.now() - 1000))
    const run = await endOfFirstRun(restricted, cron._id)
    expect(run).toMatchObject({ status: 'completed', processedRecords: 2 })
  })

  test('of reports contain only contacts that pass the rule of the identity', async () => {
    const layout = definition([{ id: 'cell0', cols: 12, chart: cells[0] }])
    const dashboard = await createDashboard(restricted, { definition: layout })
    const cron = await addCron(restricted, reportCron(instructionFor(dashboard), { consumerCode: 'BI' }))
    await makeDue(portal, cron._id, dueAt)
    const run = await endOfFirstRun(restricted, cron._id)
    const file = JSON.stringify(await fileOf(portal, restricted, run))
    expect(file).toContain('Ada')
    expect(file).not.toContain('Hidden')
  })
})

test('a bulk delete counts and deletes only contacts that pass the rule', async () => {
  const types = { Name: 'string', City: 'string' } as const
  const people = [
    { Name: 'Gone', City: 'Delete' },
    { Name: 'Stays', City: 'Delete too' },
  ]
  await addContacts(portal.parts.database, owner.account, types, people, () => ({ importId: 8 }))
  const member = await restrictedMember(portal, owner.account, [{ $match: { City: 'Delete' } }])
  const all = { filter: [{ $match: { City: { $regex: '^Delete' } } }] }
  expect(await member.delete(offers, { ...all, deletedRecords: 2 })).toMatchObject({
    status: 409,
    body: { error: { details: { count: 1 } } },
  })
  expect(await member.delete(offers, { filter: [], deletedRecords: 1 })).toMatchObject({ status: 200 })
  expect(await names(owner, `find=${json(all.filter)}`)).toEqual(['Stays'])
  expect(await owner.delete(offers, { filter: [{ $match: { Name: 'Stays' } }], deletedRecords: 1 })).toMatchObject({
    status: 200,
  })
})

test('imports and new remote accesses are refused, with the reason', async () => {
  const draft = { filePath: 'x.csv', fileDelimiter: 'comma', name: 'No import', processBatchSize: 25 }
  const flags = { generatePURL: false, purlGenerationScope: 'import', dedupHashMatching: false, typeCasting: false }
  const answer = await restricted.post('/contact-service/v1/imports', {
    ...draft,
    ...flags,
    exportOnImportCompletion: false,
  })
  expect(answer).toMatchObject(refusal)
  expect(JSON.stringify(answer.body)).toContain('sees only some contacts')
  const access = newAccess({ domainOrIp: 'new.example', filter: '{"Name":"{{Name}}"}', publicColumns: 'City' })
  expect(await restricted.post(accessPath, access)).toMatchObject(refusal)
  expect(await restricted.put(`${accessPath}/${owned['remoteAccess']}`, access)).toMatchObject(refusal)
})

describe('a dashboard', () => {
  const cell = (client: Client, at: number) =>
    client.post(`/contact-service/v1/dashboards/${owned['dashboards']}/cells/cell${at}`, { version: 1 })

  test('shows each viewer the contacts of their own rule, even from the cache', async () => {
    for (const _ of [1, 2]) {
      expect((await cell(owner, 1)).json<{ total: number }>().total).toBe(2)
      expect((await cell(restricted, 1)).json<{ rows: object[] }>().rows).toEqual([{ _id: 'Bern', n: 2 }])
      expect((await cell(restricted, 0)).json<{ total: number }>().total).toBe(2)
    }
  })

  test('shows viewers without a right to contacts only those of their rule, by the right of its author', async () => {
    const viewer = await restrictedMember(portal, owner.account, bern, ['bi::dashboards::get'])
    expect((await cell(viewer, 1)).json<{ rows: object[] }>().rows).toEqual([{ _id: 'Bern', n: 2 }])
  })

  test('of a restricted author shows others what the author may see, by the right of the author', async () => {
    const layout = definition([{ id: 'cell0', cols: 12, chart: cells[1] }])
    const changes = { definition: layout, sharedWith: inAccounts(owner.account), name: 'Of Bern' }
    const { _id } = await createDashboard(restricted, changes)
    const viewer = await memberWith(portal, owner.account, { actions: ['bi::dashboards::get'] })
    const answer = await viewer.post(`/contact-service/v1/dashboards/${_id}/cells/cell0`, { version: 1 })
    expect(answer.json<{ rows: object[] }>().rows).toEqual([{ _id: 'Bern', n: 2 }])
  })
})
