import type { ContactChange } from '@portico/contract/contact-edits'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contactsOf, importFile, withPurl } from '#test/resources/imports.ts'
import { type Answer, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'

// Contacts entered in a form, and edits of fields that contacts are matched and located by, get the keys that an import
// would give them.

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'
const file = 'First,Last,Email,Lat,Lon\nAda,King,a@x,47.1,7.5\nBob,Ray,b@x,46,8\n'
const settings = { ...withPurl, latitudeColumn: 'Lat', longitudeColumn: 'Lon', typeCasting: true }

beforeEach(async () => {
  member = await portal.member(await portal.account())
})

type Value = string | number | null
const add = (by: Pick<Member, 'post'>, values: Record<string, Value>): Promise<Answer> => by.post(offers, { values })
const edit = (id: string, field: string, from: Value, to: Value, by: Pick<Member, 'put'> = member) =>
  by.put(`${offers}/${id}`, { changes: { [field]: { from, to } } })
const keysOf = async (id: string) =>
  (
    await portal.parts.database.pool.query<Record<string, unknown>>(
      `SELECT dedup_hash, purl_scope, base_purl, purl_number, latitude, longitude
       FROM account_${member.account}.contact_keys WHERE id = $1`,
      [id],
    )
  ).rows[0]
const idOf = (answer: Answer) => answer.json<{ _id: string }>()._id
const found = async (email: string) => (await contactsOf(member)).find(({ Email }) => Email === email)
const imported = async (text: string, changes: object = settings) => {
  const ended = await importFile(portal, member, text, changes)
  expect(ended).toMatchObject({ status: 'completed' })
  return ended
}

describe('an edit of a dedup column', () => {
  test('lets the next import find the contact by its new key, and keeps the PURL', async () => {
    await imported(file)
    const { _id: id, purl } = (await found('a@x'))!
    expect((await edit(id, 'Email', 'a@x', ' NEW@x ')).status).toBe(200)
    expect(await imported('First,Last,Email,Lat,Lon\nAnn,King,new@x,47.1,7.5\nAda,King,a@x,1,2\n')).toMatchObject({
      updatedRecords: 1,
      createdRecords: 1,
    })
    expect(await found('new@x')).toMatchObject({ _id: id, First: 'Ann', purl })
  })

  test('is refused when another contact has the key, naming that contact if it is visible', async () => {
    await imported(file)
    const [ada, bob] = await contactsOf(member)
    const before = await keysOf(ada!._id)
    expect(await edit(ada!._id, 'Email', 'a@x', ' B@X')).toMatchObject({
      status: 409,
      body: { error: { code: 'key_taken', details: { contact: bob!._id, fields: ['Email'] } } },
    })
    expect(await found('a@x')).toBeDefined()
    expect(await keysOf(ada!._id)).toEqual(before)
    // Callers who cannot see the other contact do not learn which one it is.
    const restricted = await restrictedMember(portal, member.account, [{ $match: { First: 'Ada' } }])
    const answer = await edit(ada!._id, 'Email', 'a@x', 'b@x', restricted)
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'key_taken', details: { contact: null } } } })
    expect(JSON.stringify(answer.body)).not.toContain(bob!._id)
    // Its own key does not conflict with itself.
    expect((await edit(ada!._id, 'Email', 'a@x', 'A@x')).status).toBe(200)
  })

  test('follows the column after a rename', async () => {
    await imported(file)
    const [ada] = await contactsOf(member)
    const service = '/contact-service/v1/fields'
    const fields = (await member.get(`${service}/details`)).json<{ _id: string; name: string }[]>()
    const rename = (from: string, to: string) =>
      member.put(`${service}/${fields.find(({ name }) => name === from)?._id}`, { name: to })
    expect((await rename('Email', 'Mail')).status).toBe(200)
    // The file had a column of this name.
    expect((await rename('Last', 'Email')).status).toBe(200)
    expect(await edit(ada!._id, 'Mail', 'a@x', 'B@x')).toMatchObject({ status: 409 })
    expect(await edit(ada!._id, 'Email', 'King', 'b@x')).toMatchObject({ status: 200 })
    expect(await edit(ada!._id, 'Mail', 'a@x', 'c@x')).toMatchObject({ status: 200 })
    expect(await keysOf(ada!._id)).toMatchObject({ base_purl: 'adaking' })
  })

  test('that clears it removes and frees the key', async () => {
    await imported(file)
    const [ada, bob] = await contactsOf(member)
    expect((await edit(ada!._id, 'Email', 'a@x', null)).status).toBe(200)
    expect(await keysOf(ada!._id)).toMatchObject({ dedup_hash: null, base_purl: 'adaking' })
    expect((await edit(bob!._id, 'Email', 'b@x', 'a@x')).status).toBe(200)
  })

  test('checks only contacts of the same import when each import has its own scope', async () => {
    const apart = { ...settings, purlGenerationScope: 'import' as const }
    await imported(file, apart)
    await imported(file, apart)
    const all = await contactsOf(member)
    expect(all).toHaveLength(4)
    // Contacts of the other import have this key too.
    expect(await edit(all[0]!._id, 'Email', 'a@x', 'c@x')).toMatchObject({ status: 200 })
    expect(await edit(all[0]!._id, 'Email', 'c@x', 'b@x')).toMatchObject({
      status: 409,
      body: { error: { details: { contact: all[1]!._id } } },
    })
    expect(await edit(all[0]!._id, 'Email', 'c@x', 'a@x')).toMatchObject({ status: 200 })
  })

  test('writes the same key as an import for values of every type', async () => {
    const columns = { ...settings, dedupColumns: ['Email', 'Day', 'Amount', 'At'] }
    const header = 'First,Last,Email,Lat,Lon,Day,Amount,At\n'
    await imported(
      `${header}Ada,King,A@x ,1,2,2026-01-31,12.50,2026-01-31T09:30:00Z\nBob,Ray,b@x,1,2,2026-02-01,7,2026-02-02T00:00:00Z\n`,
      columns,
    )
    const [ada, bob] = await contactsOf(member)
    const first = (await keysOf(ada!._id))!['dedup_hash']
    const changes = {
      Email: { from: 'b@x', to: 'q@x' },
      Day: { from: '2026-02-01', to: '2026-03-01' },
      Amount: { from: 7, to: 8 },
    }
    expect((await member.put(`${offers}/${bob!._id}`, { changes })).status).toBe(200)
    // Changing the value and changing it back gives exactly the key that the import made.
    for (const [from, to] of [
      ['A@x ', 'z@x'],
      ['z@x', 'a@X'],
    ] as const) {
      expect((await edit(ada!._id, 'Email', from, to)).status).toBe(200)
    }
    expect((await keysOf(ada!._id))!['dedup_hash']).toBe(first)
  })
})

test('an edit of coordinates moves the contact', async () => {
  await imported(file)
  const { _id: id } = (await found('a@x'))!
  expect((await edit(id, 'Lat', 47.1, 10)).status).toBe(200)
  expect(await keysOf(id)).toMatchObject({ latitude: 10, longitude: 7.5, base_purl: 'adaking' })
  expect((await edit(id, 'Lat', 10, 95)).status).toBe(200)
  expect(await keysOf(id)).toMatchObject({ latitude: null })
})

describe('a contact entered in a form', () => {
  test('gets key, PURL and coordinates like an imported one, and the next import finds it', async () => {
    await imported(file)
    const made = await add(member, { First: 'Zoë', Last: 'King', Email: 'z@x', Lat: 5, Lon: 6 })
    expect(made.status).toBe(201)
    const id = idOf(made)
    expect((await member.get(`${offers}/${id}`)).body).toMatchObject({
      First: 'Zoë',
      Email: 'z@x',
      Lat: 5,
      purl: 'zoeking',
      Import: '0',
    })
    expect(await keysOf(id)).toMatchObject({ latitude: 5, longitude: 6, purl_scope: 0, purl_number: 1 })
    // The next contact with the same base gets the next number.
    const second = idOf(await add(member, { First: 'Ada', Last: 'King', Email: 'a2@x' }))
    expect((await member.get(`${offers}/${second}`)).body).toMatchObject({ purl: 'adaking2' })
    expect(await imported('First,Last,Email,Lat,Lon\nZoe,King,Z@X,5,6\nAda,King,a3@x,1,2\n')).toMatchObject({
      createdRecords: 1,
      updatedRecords: 1,
    })
    expect((await member.get(`${offers}/${id}`)).body).toMatchObject({ First: 'Zoe', purl: 'zoeking' })
    expect(await found('a3@x')).toMatchObject({ purl: 'adaking3' })
    const changes = (await member.get(`${offers}/${id}/changes`)).json<ContactChange[]>()
    expect(changes).toMatchObject([{ kind: 'added', changedBy: member.email }])
    expect(await member.post(`${offers}/${id}/changes/${changes[0]!._id}/undo`)).toMatchObject({ status: 404 })
  })

  test('is refused when another contact has the key, and leaves nothing behind', async () => {
    await imported(file)
    expect(await add(member, { First: 'A', Email: 'A@X ' })).toMatchObject({
      status: 409,
      body: { error: { code: 'key_taken', details: { contact: (await found('a@x'))!._id } } },
    })
    expect(await contactsOf(member)).toHaveLength(2)
    const { rowCount } = await portal.parts.database.pool.query(`SELECT FROM account_${member.account}.contact_changes`)
    expect(rowCount).toBe(0)
  })

  test('requires no earlier import, and its id is never reused', async () => {
    await imported('First,Last\nAda,King\n', { generatePURL: false })
    const first = idOf(await add(member, { First: 'Eve' }))
    expect((await member.get(`${offers}/${first}`)).json<object>()).not.toHaveProperty('purl')
    const filter = [{ $match: { First: 'Eve' } }]
    expect((await member.delete(offers, { filter, deletedRecords: 1 })).status).toBe(200)
    expect(idOf(await add(member, { First: 'Eve' }))).not.toBe(first)
  })

  test('has a separate scope when each import has its own', async () => {
    await imported(file, { ...settings, purlGenerationScope: 'import' })
    expect((await add(member, { First: 'Ada', Last: 'King', Email: 'a@x' })).status).toBe(201)
    expect(await add(member, { First: 'Ada', Last: 'King', Email: 'a@x' })).toMatchObject({ status: 409 })
    expect((await add(member, { First: 'Ada', Last: 'King', Email: 'other@x' })).status).toBe(201)
    expect((await contactsOf(member)).map(({ purl }) => purl)).toEqual(['adaking', 'adaking2', 'adaking', 'bobray'])
  })

  test('is refused without values, with invalid values, without the right, or outside the row rule', async () => {
    await imported(file)
    const invalid = { status: 400, body: { error: { code: 'invalid_input' } } }
    expect(await add(member, {})).toMatchObject(invalid)
    expect(await add(member, { First: ' ', Last: null })).toMatchObject(invalid)
    expect(await add(member, { Lat: 'north' })).toMatchObject({ body: { error: { details: [{ field: 'Lat' }] } } })
    expect(await add(member, { _id: '5' })).toMatchObject({ body: { error: { details: [{ field: '_id' }] } } })
    const editor = await portal.member(member.account, 'contact-service::offers::get', 'contact-service::offers::put')
    expect(await add(editor, { First: 'X' })).toMatchObject({ status: 403 })
    const restricted = await restrictedMember(portal, member.account, [{ $match: { First: 'Ada' } }])
    expect(await add(restricted, { First: 'Bea' })).toMatchObject({ status: 403 })
    expect((await add(restricted, { First: 'Ada', Email: 'r@x' })).status).toBe(201)
    expect(await contactsOf(member)).toHaveLength(3)
  })
})
