import type { ContactChange } from '@portico/contract/contact-edits'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Changes are undone after an import has changed the types of their fields.

let portal: TestPortal
let member: Member
let id: string

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  const account = await portal.account()
  await portal.parts.database.pool.query(`UPDATE portico.accounts SET time_zone = 'Europe/Zurich' WHERE id = $1`, [
    account,
  ])
  member = await portal.member(account)
  await load('Name,Born,Size,Member,Rate,Seen\nAda,2024-04-25,0.0000001,true,1,2024-04-25 09:30\n')
  id = (await contactsOf(member))[0]?._id ?? ''
})
afterAll(() => portal.close())

const load = (content: string) => importFile(portal, member, content, { typeCasting: true, onMismatch: 'text' })
const path = () => `/contact-service/v1/offers/${id}`
const read = async () => (await member.get(path())).json<Record<string, unknown>>()
const undoLast = async () => {
  const [last] = (await member.get(`${path()}/changes`)).json<ContactChange[]>()
  return member.post(`${path()}/changes/${last?._id}/undo`)
}

test('an undo restores days widened to moments, and values widened to text, as the import wrote them', async () => {
  const first = { Born: '2024-04-25', Size: 1e-7, Member: true, Rate: 1, Seen: '2024-04-25T07:30:00.000Z' }
  const second = { Born: '2024-10-28', Size: 2.5e-7, Member: false, Rate: 1e22, Seen: '2024-10-28T08:30:00.000Z' }
  expect(await read()).toMatchObject(first)
  const changes = Object.fromEntries(
    Object.entries(first).map(([name, from]) => [name, { from, to: second[name as keyof typeof second] }]),
  )
  expect((await member.put(path(), { changes })).status).toBe(200)

  await load('Name,Born,Size,Member,Rate,Seen\nEve,2024-04-25 09:30,small,perhaps,high,once\n')
  const widened = {
    Born: '2024-10-27T23:00:00.000Z',
    Size: '0.00000025',
    Member: 'false',
    Rate: '10000000000000000000000',
    Seen: '2024-10-28T08:30:00.000Z',
  }
  const before = {
    Born: '2024-04-24T22:00:00.000Z',
    Size: '0.0000001',
    Member: 'true',
    Rate: '1',
    Seen: '2024-04-25T07:30:00.000Z',
  }
  expect(await read()).toMatchObject(widened)
  expect(await undoLast()).toMatchObject({ status: 200 })
  expect(await read()).toMatchObject(before)
  // That change has values of the current types.
  expect(await undoLast()).toMatchObject({ status: 200 })
  expect(await read()).toMatchObject(widened)
})

test('a conflict names the author of a value even after the type of its field changed', async () => {
  await load('Name,Weight\nAda,1\n')
  id = (await contactsOf(member)).at(-1)?._id ?? ''
  expect((await member.put(path(), { changes: { Weight: { from: 1, to: 1e-7 } } })).status).toBe(200)
  await load('Name,Weight\nEve,heavy\n')
  const details = [{ field: 'Weight', expected: '1', current: '0.0000001', changedBy: member.email }]
  expect(await member.put(path(), { changes: { Weight: { from: '1', to: '2' } } })).toMatchObject({
    status: 409,
    body: { error: { code: 'value_changed', details } },
  })
})
