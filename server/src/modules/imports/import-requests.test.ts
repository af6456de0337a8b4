import type { ErrorReply } from '@portico/contract/errors'
import type { Export } from '@portico/contract/exports'
import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { firstProblem } from '#test/kit/field-problems.ts'
import { anImport, ended, importFile, submit, twoContacts, upload, withPurl } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/imports'

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

describe('permissions', () => {
  test('submitting requires contact-service::imports::post', async () => {
    const reader = await portal.member(member.account, 'contact-service::imports::get', 'contact-service::uploads::get')
    await upload(portal, reader, 'contacts.csv', twoContacts)
    expect((await reader.post(path, anImport())).status).toBe(403)
    expect((await reader.get(path)).status).toBe(200)
  })

  test('cancelling requires contact-service::imports::put', async () => {
    const { _id } = await submit(portal, member, twoContacts)
    const reader = await portal.member(member.account, 'contact-service::imports::get')
    expect((await reader.put(`${path}/${_id}`, { cancel: true })).status).toBe(403)
  })

  test('other accounts cannot see, cancel or download an import, nor import its uploads', async () => {
    const done = await importFile(portal, member, `${twoContacts}too,few\n`)
    const stranger = await portal.member(await portal.account())
    expect((await stranger.get(`${path}/${done._id}`)).status).toBe(404)
    expect((await stranger.put(`${path}/${done._id}`, { cancel: true })).status).toBe(404)
    expect((await stranger.get(`${path}/${done._id}/set-aside`)).status).toBe(404)
    expect((await stranger.get(path)).body).toEqual([])
    expect(firstProblem(await stranger.post(path, anImport()))).toEqual({
      field: 'filePath',
      message: 'No file named "contacts.csv" has been uploaded.',
    })
  })
})

describe('request validation', () => {
  test.each([
    ['name', { name: '' }, 'Value is required!'],
    ['name', { name: 'four' }, 'Name should have more than 5 charecters'],
    ['name', { name: 'x'.repeat(101) }, 'Name should have at most 100 characters'],
    ['processBatchSize', { processBatchSize: 30 as 25 }, 'Enter 25, 50, 75 or 100.'],
    ['fileDelimiter', { fileDelimiter: 'colon' as 'comma' }, 'Enter "comma", "tab", "pipe" or "semicolon".'],
    ['purlColumns', { ...withPurl, purlColumns: [] }, 'Value is required!'],
    ['dedupColumns', { ...withPurl, dedupColumns: undefined }, 'Value is required!'],
    ['purlColumns', { ...withPurl, purlColumns: ['A', 'B', 'C', 'D'] }, 'At most 3 columns can be chosen.'],
    ['dedupColumns', { ...withPurl, dedupColumns: ['A', 'B', 'C', 'D', 'E', 'F'] }, 'At most 5 columns can be chosen.'],
    ['dedupColumns', { ...withPurl, dedupColumns: ['Email', 'EMAIL '] }, 'Value is duplicate!'],
    ['longitudeColumn', { latitudeColumn: 'Lat' }, expect.stringContaining('or neither')],
    ['colour', { colour: 'red' }, 'This field is not known.'],
  ])('%s: %o', async (field, changes, message) => {
    await upload(portal, member, 'contacts.csv', twoContacts)
    expect(firstProblem(await member.post(path, { ...anImport(), ...changes }))).toEqual({ field, message })
  })

  test('a name is unique in an account, regardless of case', async () => {
    await submit(portal, member, twoContacts, { name: 'Spring list' })
    const reply = await member.post(path, anImport({ name: 'SPRING LIST' }))
    expect(reply.status).toBe(409)
    expect(reply.json<ErrorReply>().error).toMatchObject({
      code: 'name_taken',
      details: [{ field: 'name', message: 'Value is duplicate!' }],
    })
  })
})

describe('scopes', () => {
  test('within an import, contacts and PURLs of other imports are ignored', async () => {
    const scoped = { ...withPurl, purlGenerationScope: 'import' as const }
    await importFile(portal, member, twoContacts, scoped)
    const again = await importFile(portal, member, `${twoContacts}Ada,King,a@x\n`, scoped)
    expect(again).toMatchObject({ createdRecords: 2, unchangedRecords: 1 })
    const contacts = (await member.get('/contact-service/v1/offers')).json<Record<string, unknown>[]>()
    expect(contacts.map(({ purl }) => purl)).toEqual(['adaking', 'bobray', 'adaking', 'bobray'])
  })

  test('without "same PURL" a known contact gets a new PURL when its columns change', async () => {
    const changing = { ...withPurl, dedupHashMatching: false }
    await importFile(portal, member, twoContacts, changing)
    await importFile(portal, member, 'First,Last,Email\nAda,Byron,a@x\nBob,Ray,b@x\n', changing)
    const contacts = (await member.get('/contact-service/v1/offers')).json<Record<string, unknown>[]>()
    expect(contacts.map(({ purl }) => purl)).toEqual(['adabyron', 'bobray'])
  })

  test('a row without any dedup value becomes a contact of its own', async () => {
    await importFile(portal, member, 'First,Last,Email\nAda,King,\nAda,King, \n', withPurl)
    const contacts = (await member.get('/contact-service/v1/offers')).json<Record<string, unknown>[]>()
    expect(contacts.map(({ purl }) => purl)).toEqual(['adaking', 'adaking2'])
  })
})

test('letters of all scripts become ASCII in a PURL', async () => {
  const names = ['Straße', 'Łukasz', 'Ævar', 'Дмитрий', 'Ελένη', '北京', 'Nguyễn', "O'Neil-Smith"]
  await importFile(
    portal,
    member,
    `First,Last,Email\n${names.map((name, n) => `${name},,p${n}@x`).join('\n')}\n`,
    withPurl,
  )
  const contacts = (await member.get('/contact-service/v1/offers')).json<Record<string, unknown>[]>()
  expect(contacts.map(({ purl }) => purl)).toEqual([
    'strasse',
    'lukasz',
    'aevar',
    'dmitriy',
    'eleni',
    'beijing',
    'nguyen',
    'oneilsmith',
  ])
})

test('imports of one account run one after another, those of other accounts in parallel', async () => {
  const other = await portal.member(await portal.account())
  const [first, second, elsewhere] = [
    await submit(portal, member, twoContacts),
    await submit(portal, member, twoContacts),
    await submit(portal, other, twoContacts),
  ]
  const [firstEnd, secondEnd] = [await ended(member, first._id), await ended(member, second._id)]
  await ended(other, elsewhere._id)
  expect(Date.parse(secondEnd.startDate ?? '')).toBeGreaterThanOrEqual(Date.parse(firstEnd.lastActivityDate ?? ''))
})

test('imports submitted at the same moment are all queued', async () => {
  await upload(portal, member, 'contacts.csv', twoContacts)
  const replies = await Promise.all(Array.from({ length: 8 }, () => member.post(path, anImport())))
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201))
  expect(new Set(replies.map((reply) => reply.json<Import>()._id)).size).toBe(8)
})

test('a waiting import is cancelled at once', async () => {
  const idle = await startPortal()
  const owner = await idle.member(await idle.account())
  const { _id } = await submit(idle, owner, twoContacts, withPurl)
  const reply = await owner.put(`${path}/${_id}`, { cancel: true })
  expect(reply.json<Import>()).toMatchObject({ status: 'rejected', recoveryError: 'cancelled by the user' })
  await idle.startWorker()
  const later = await importFile(idle, owner, twoContacts, withPurl)
  expect(later).toMatchObject({ status: 'completed', createdRecords: 2 })
  await idle.close()
})

test('auto export exports the contacts of the import, with their PURLs', async () => {
  await importFile(portal, member, 'First,Last,Email\nOld,One,o@x\n', withPurl)
  const done = await importFile(portal, member, twoContacts, { ...withPurl, exportOnImportCompletion: true })
  const exported = await vi.waitUntil(
    async () => {
      const [latest] = (await member.get('/contact-service/v1/exports')).json<Export[]>()
      return latest?.status === 'completed' ? latest : null
    },
    { timeout: 30_000, interval: 50 },
  )
  expect(exported.name).toBe(`${done.name} - import ${done._id}`)
  const { url } = (await member.get(`/contact-service/v1/downloads/${exported._id}.csv`)).json<{ url: string }>()
  const { body } = await portal.app.inject({ method: 'GET', url })
  expect(body.replace('\uFEFF', '').split(/\r?\n/)).toEqual([
    'First,Last,Email,purl',
    'Ada,King,a@x,adaking',
    'Bob,Ray,b@x,bobray',
    '',
  ])
})

describe('the list', () => {
  test('is newest first, and can be filtered, sorted, paged and counted', async () => {
    await importFile(portal, member, twoContacts, { name: 'Alpha list' })
    await importFile(portal, member, '', { name: 'Broken list' })
    await importFile(portal, member, twoContacts, { name: 'Gamma list' })
    const names = async (query: string) =>
      (await member.get(`${path}?${query}`)).json<Import[]>().map(({ name }) => name)
    expect(await names('')).toEqual(['Gamma list', 'Broken list', 'Alpha list'])
    expect(await names('limit=1&skip=1')).toEqual(['Broken list'])
    const find = (match: object) => `find=${encodeURIComponent(JSON.stringify([{ $match: match }]))}`
    expect(await names(find({ status: 'rejected' }))).toEqual(['Broken list'])
    expect(await names(`${find({ name: { $regex: 'a list', $options: 'i' } })}&sort={"name":1}`)).toEqual([
      'Alpha list',
      'Gamma list',
    ])
    expect((await member.get(`${path}?count=1&${find({ status: 'completed' })}`)).body).toEqual({ count: 2 })
    expect((await member.get(`${path}?${find({ secret: 1 })}`)).json<ErrorReply>().error.message).toBe(
      'Unexpected field in standard filter: "secret"',
    )
  })
})
