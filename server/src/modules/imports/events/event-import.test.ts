import type { Import, NewEventImport } from '@portico/contract/imports'
import { fieldProblems } from '#test/kit/field-problems.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { anEventImport, type Contact, contactsOf, ended, importFile, upload } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

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

const people = 'Name,Email,Number,Member\nAda,ada@x.org,7,true\nAlan,alan@x.org,8,true\nGrace,grace@x.org,9,false\n'

/** An account with three contacts that have PURLs: ada, alan and grace. */
async function withPeople(file = people): Promise<Contact[]> {
  await importFile(portal, member, file, {
    generatePURL: true,
    purlColumns: ['Name'],
    dedupColumns: ['Email'],
    typeCasting: true,
  })
  return contactsOf(member)
}

async function ask(file: string | Buffer, changes: Partial<NewEventImport> = {}): Promise<Answer> {
  const draft = anEventImport(changes)
  await upload(portal, member, draft.filePath, file)
  return member.post('/contact-service/v1/imports', draft)
}

async function importEvents(file: string | Buffer, changes: Partial<NewEventImport> = {}): Promise<Import> {
  const reply = await ask(file, changes)
  expect(reply).toMatchObject({ status: 201 })
  return ended(member, reply.json<Import>()._id)
}

async function eventsOf(email: string): Promise<Record<string, unknown>[]> {
  const contact = (await contactsOf(member)).find((one) => one['Email'] === email)
  return (await member.get(`/contact-service/v1/offers/${contact?._id}`)).json<{ events: Record<string, unknown>[] }>()
    .events
}

async function foundBy(condition: object): Promise<unknown> {
  const find = encodeURIComponent(JSON.stringify([{ $match: { events: { $elemMatch: condition } } }]))
  return (await member.get(`/contact-service/v1/offers?find=${find}&count=`)).body
}

async function setAside({ _id }: Import): Promise<string[]> {
  const { url } = (await member.get(`/contact-service/v1/imports/${_id}/set-aside`)).json<{ url: string }>()
  const { body } = await portal.app.inject({ url })
  return body.replace('\uFEFF', '').trimEnd().split('\r\n')
}

describe('a file of events', () => {
  test('becomes events of the contacts matched by its key, with additional columns as details', async () => {
    await withPeople()
    const file = `Email,event_code,Event_Date,event_path,is_trigger,price,paid,coupon
 ada@x.org ,page_view,2026-05-06T07:08:09Z,/home,TRUE,12.5,true,
ada@x.org,"buy",5/6/2026 9:08:10 AM,"/cart, ""mine""",,3,FALSE,007
alan@x.org,page_view,2026-05-06,,false,,,
`
    const end = await importEvents(file, { typeCasting: true, name: 'Spring events' })
    expect(end).toMatchObject({
      kind: 'events',
      name: 'Spring events',
      status: 'completed',
      keyColumn: 'Email',
      keyField: 'Email',
      totalRecords: 3,
      processedRecords: 3,
      createdRecords: 3,
      updatedRecords: 0,
      unchangedRecords: 0,
      setAsideRecords: 0,
      purlStatus: null,
    })
    const nothing = { app_code: null, event_element: null, browser: null, os: null, ip: null }
    expect(await eventsOf('ada@x.org')).toEqual([
      {
        ...nothing,
        event_code: 'buy',
        event_date: '2026-05-06T09:08:10.000Z',
        event_path: '/cart, "mine"',
        is_trigger: false,
        details: { price: 3, paid: false, coupon: '007' },
      },
      {
        ...nothing,
        event_code: 'page_view',
        event_date: '2026-05-06T07:08:09.000Z',
        event_path: '/home',
        is_trigger: true,
        details: { price: 12.5, paid: true },
      },
    ])
    expect(await eventsOf('alan@x.org')).toMatchObject([{ event_path: null, is_trigger: false }])
    expect((await eventsOf('alan@x.org'))[0]).not.toHaveProperty('details')
    const own = ['coupon', 'paid', 'price'].map((name) => ({ name }))
    expect((await member.get('/contact-service/v1/fields/events')).body).toEqual(own)
    expect(await foundBy({ event_code: 'buy', price: { $lt: 4 }, coupon: '007' })).toEqual({ count: 1 })
    expect(await foundBy({ event_code: 'page_view' })).toEqual({ count: 2 })
    expect(await foundBy({ event_code: 'buy', price: { $gt: 4 } })).toEqual({ count: 0 })
  })

  test('is matched by id, PURL, or a field of any type', async () => {
    const contacts = await withPeople(`${people}Ada,ada2@x.org,10,false\n`)
    const idOf = (email: string) => contacts.find((one) => one['Email'] === email)?._id
    const file = (header: string, ...keys: string[]) =>
      `${header},event_code,event_date\n${keys.map((key, at) => `${key},${header}-${at},2026-01-01\n`).join('')}`
    const keys: [string, string[]][] = [
      ['_id', [`${idOf('ada@x.org')}`, ` ${idOf('grace@x.org')} `]],
      ['PURL', ['ada', 'ada2', 'grace']],
      ['number', ['7', '10', '9.0']],
      ['Email', ['ada@x.org', 'ada2@x.org']],
    ]
    for (const [key, values] of keys) {
      const end = await importEvents(file('key', ...values), { keyColumn: 'KEY', keyField: key })
      expect(end).toMatchObject({ status: 'completed', createdRecords: values.length, setAsideRecords: 0 })
      expect(end).toMatchObject({ indexObject: { [end.keyField ?? '']: 1 }, columnValidation: {} })
    }
    expect((await eventsOf('ada@x.org')).map((event) => event['event_code'])).toEqual(Array(4).fill('key-0'))
    expect((await eventsOf('ada2@x.org')).map((event) => event['event_code'])).toEqual(Array(3).fill('key-1'))
    expect(await eventsOf('alan@x.org')).toEqual([])
  })

  test('sets aside, in file order, rows with a missing or ambiguous contact and rows that are not events', async () => {
    await withPeople()
    const file = `Member,event_code,event_date,is_trigger,Note
true,click,2026-01-01,,two are members
false,click,2026-01-01,,fine
maybe,click,2026-01-01,,
false,click,yesterday,,"two
lines"
false,click,2026-01-01,,too,many
false, ,2026-01-01,,
false,click,,,
,click,2026-01-01,,
false,click,2026-01-01,perhaps,
`
    const end = await importEvents(file, { keyColumn: 'Member', keyField: 'Member', onMismatch: 'row' })
    expect(end).toMatchObject({ status: 'completed', totalRecords: 1, createdRecords: 1, setAsideRecords: 8 })
    const [header, ...lines] = await setAside(end)
    expect(header).toMatch(/Reason,Member,event_code,event_date,is_trigger,Note$/)
    expect(lines).toEqual([
      '2,Ambiguous: 2 contacts have this key.,true,click,2026-01-01,,two are members',
      '4,No such contact.,maybe,click,2026-01-01,,',
      '5,"""yesterday"" is not a date.",false,click,yesterday,,"two\nlines"',
      '7,"Expected 5 cells, found 6.",false,click,2026-01-01,,too,many',
      '8,event_code is missing.,false, ,2026-01-01,,',
      '9,event_date is missing.,false,click,,,',
      '10,"The key column ""Member"" is empty.",,click,2026-01-01,,',
      '11,"""perhaps"" is neither true nor false.",false,click,2026-01-01,perhaps,',
    ])
    const none = await importEvents('Email,event_code,event_date\nnobody@x.org,a,2026-01-01\nx,a,2026-01-01\n')
    expect(none).toMatchObject({ status: 'completed', totalRecords: 0, createdRecords: 0, setAsideRecords: 2 })
    expect(await setAside(none)).toHaveLength(3)
  })

  test('can have its columns mapped, renamed and left out', async () => {
    await withPeople()
    const file = 'Who,What,When,Secret,Where\nada@x.org,open,2026-01-01T00:00:00Z,x,Bern\n'
    const columnMapping = { what: 'event_code', When: 'event_date', Secret: null, Where: 'City' }
    const end = await importEvents(file, { keyColumn: 'Who', columnMapping })
    expect(end).toMatchObject({ status: 'completed', createdRecords: 1, columnMapping })
    expect(await eventsOf('ada@x.org')).toMatchObject([{ event_code: 'open', details: { City: 'Bern' } }])
  })

  test('may be as wide as contact files, in any encoding', async () => {
    await withPeople()
    const more = Array.from({ length: 700 }, (_, at) => `x${at}`)
    const header = ['event_code', 'event_date', ...more, 'Email', 'Straße']
    const row = ['über', '2026-01-01', ...more, 'ada@x.org', 'Zürich']
    const columnMapping = Object.fromEntries(more.slice(49).map((name) => [name, null]))
    const file = Buffer.from(`\uFEFF${header.join('\t')}\r\n${row.join('\t')}\r\n`, 'utf16le')
    const end = await importEvents(file, { columnMapping, fileDelimiter: 'tab' })
    expect(end).toMatchObject({ status: 'completed', createdRecords: 1 })
    const [event] = await eventsOf('ada@x.org')
    expect(event).toMatchObject({ event_code: 'über', details: { x0: 'x0', x48: 'x48', Straße: 'Zürich' } })
    expect(Object.keys(event?.['details'] as object)).toHaveLength(50)
  })

  test.each([
    ['Email,event_code\na,b\n', {}, 'No column of the file is "event_date". Map a column to it.'],
    [
      `Email,event_code,event_date,${Array.from({ length: 51 }, (_, at) => `c${at}`).join(',')}\n`,
      {},
      'The file has 51 custom columns; at most 50 can be imported. Leave some out.',
    ],
    [
      'Email,event_code,event_date,$x\n',
      {},
      'Column 4 is named "$x", which is not a valid event field. Map it to another name, or leave it out.',
    ],
    [
      'Email,event_code,event_date,b\n',
      { columnMapping: { b: 'EVENT_CODE' } },
      'Both "event_code" and "b" are mapped to "EVENT_CODE".',
    ],
    ['', {}, 'The file is empty.'],
  ])('is rejected with a reason: %j', async (file, changes, recoveryError) => {
    await withPeople()
    expect(await importEvents(file, changes)).toMatchObject({ status: 'rejected', recoveryError, createdRecords: 0 })
  })
})

test('a key column missing from the file is refused at once', async () => {
  await withPeople()
  const message = 'The key column "Email" is not a column of the file.'
  expect(fieldProblems(await ask('Mail,event_code,event_date\n'))).toEqual([{ field: 'keyColumn', message }])
})

describe('the index of events', () => {
  const index = async () =>
    (
      await portal.parts.database.pool.query<{ oid: number }>(
        `SELECT to_regclass('account_${member.account}.events_contact_id_idx')::oid AS oid`,
      )
    ).rows[0]?.oid

  test('is built after the first events are loaded, and kept when more follow', async () => {
    await withPeople()
    const before = await index()
    const file = 'Email,event_code,event_date\nada@x.org,a,2026-01-01\nalan@x.org,b,2026-01-01\n'
    expect(await importEvents(file)).toMatchObject({ createdRecords: 2 })
    const built = await index()
    expect(built).toEqual(expect.any(Number))
    expect(built).not.toBe(before)
    expect(await importEvents(file)).toMatchObject({ createdRecords: 2 })
    expect(await index()).toBe(built)
    expect(await eventsOf('ada@x.org')).toHaveLength(2)
  })

  test('is kept while another connection holds a long read of the events', async () => {
    await withPeople()
    const before = await index()
    const reader = await portal.parts.database.pool.connect()
    await reader.query('BEGIN')
    await reader.query(`LOCK TABLE account_${member.account}.events IN ACCESS SHARE MODE`)
    expect(await importEvents('Email,event_code,event_date\nada@x.org,a,2026-01-01\n')).toMatchObject({
      status: 'completed',
      createdRecords: 1,
      recoveryCount: 0,
    })
    await reader.query('COMMIT')
    reader.release()
    expect(await index()).toBe(before)
  })
})

describe('the request', () => {
  const problemsOf = async (draft: object): Promise<unknown> =>
    (await member.post('/contact-service/v1/imports', draft)).json<{ error: { details: unknown } }>().error.details

  test('refuses options of contact imports and missing values, naming the fields', async () => {
    await withPeople()
    await upload(portal, member, 'events.csv', 'x')
    for (const option of [
      'generatePURL',
      'purlColumns',
      'dedupColumns',
      'dedupHashMatching',
      'exportOnImportCompletion',
    ]) {
      expect(await problemsOf({ ...anEventImport(), [option]: false })).toEqual([
        { field: option, message: 'This field is not known.' },
      ])
    }
    expect(await problemsOf({ ...anEventImport(), keyColumn: ' ', keyField: undefined })).toEqual([
      { field: 'keyColumn', message: 'Value is required!' },
      { field: 'keyField', message: 'Value is required!' },
    ])
    expect(await problemsOf(anEventImport({ keyField: 'Shoe size' }))).toEqual([
      { field: 'keyField', message: 'Contacts have no field "Shoe size".' },
    ])
    expect(await problemsOf(anEventImport({ columnMapping: { email: 'pdid' } }))).toMatchObject([
      { field: 'columnMapping' },
    ])
    expect(await problemsOf(anEventImport({ filePath: 'other.csv' }))).toMatchObject([{ field: 'filePath' }])
    expect(await problemsOf({ ...anEventImport(), kind: 'orders' })).toMatchObject([{ field: 'kind' }])
  })

  test('requires the right to import, and reaches only its own account', async () => {
    await withPeople()
    const reader = await portal.member(member.account, 'contact-service::imports::get')
    expect(await reader.post('/contact-service/v1/imports', anEventImport())).toMatchObject({ status: 403 })
    const stranger = await portal.member(await portal.account())
    await upload(portal, stranger, 'events.csv', 'Email,event_code,event_date\nada@x.org,a,2026-01-01\n')
    expect(await stranger.post('/contact-service/v1/imports', anEventImport())).toMatchObject({ status: 400 })
    const reply = await stranger.post('/contact-service/v1/imports', anEventImport({ keyField: '_id' }))
    expect(await ended(stranger, reply.json<Import>()._id)).toMatchObject({ createdRecords: 0, setAsideRecords: 1 })
    expect(await eventsOf('ada@x.org')).toEqual([])
  })

  test('does not affect the next import of contacts', async () => {
    await withPeople()
    await importEvents('Email,event_code,event_date\nada@x.org,a,2026-01-01\n')
    const find = encodeURIComponent(JSON.stringify([{ $match: { kind: 'events' } }]))
    expect((await member.get(`/contact-service/v1/imports?find=${find}&count=`)).body).toEqual({ count: 1 })
    const again = await importFile(portal, member, people, {
      generatePURL: true,
      purlColumns: ['Name'],
      dedupColumns: ['Email'],
      typeCasting: true,
    })
    expect(again).toMatchObject({ kind: 'contacts', status: 'completed', unchangedRecords: 3 })
    expect(await eventsOf('ada@x.org')).toHaveLength(1)
  })
})
