import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { recordEvents } from '#contacts'
import { inTransaction } from '#platform/database.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { deleteBy, restored } from '#test/resources/delete-undos.ts'
import { newEvent } from '#test/resources/events.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A custom field of events is removed only while no event has it, whatever happens at the same time.

const fieldsPath = '/contact-service/v1/fields/events'

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
  await member.post(fieldsPath, { name: 'Price' })
})

const remove = () => member.delete(`${fieldsPath}/Price`)
const fields = async () => (await member.get(fieldsPath)).body
const priced = () => newEvent(contactId, { details: { Price: 5 } })

test('a removal waits for events that are being recorded with the field, and is refused then', async () => {
  const { database } = portal.parts
  const removal = await inTransaction(database.db, async (tx) => {
    await recordEvents(tx, member.account, [priced()])
    const asked = remove()
    await expect.poll(() => lockWaits(database.pool)).not.toEqual([])
    return { asked }
  })
  expect(await removal.asked).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
  expect(await fields()).toMatchObject([{ name: 'Price' }])
})

test('recording waits for a removal, and adds the field again', async () => {
  const { database } = portal.parts
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(`DELETE FROM account_${member.account}.event_fields WHERE name = 'Price'`)
    const recording = recordEvents(database.db, member.account, [priced()])
    await expect.poll(() => lockWaits(database.pool)).not.toEqual([])
    await client.query('COMMIT')
    await recording
  } finally {
    client.release()
  }
  expect(await fields()).toMatchObject([{ name: 'Price' }])
})

test('a field that only events of deleted contacts have is removed, and returns with them', async () => {
  await recordEvents(portal.parts.database.db, member.account, [priced()])
  const { _id } = await deleteBy(member, [{ $match: { Name: 'Ada' } }], 1)
  expect((await remove()).status).toBe(200)
  expect(await fields()).toEqual([])
  expect(await restored(member, _id)).toMatchObject({ restore: { restoredRecords: 1 } })
  expect(await fields()).toMatchObject([{ name: 'Price' }])
})
