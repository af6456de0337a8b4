import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordEvents } from '#contacts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { allRows, listDeletes, restored } from '#test/resources/delete-undos.ts'
import { newEvent } from '#test/resources/events.ts'
import { importFile, withPurl } from '#test/resources/imports.ts'
import { askMerge, type BothValues, editField, memberWithTwins, merged } from '#test/resources/merges.ts'

// Contacts that return by the undo of a merge while a bulk delete runs that was to delete them, too.

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const offers = '/contact-service/v1/offers'

/** Begins a transaction that locks rows. Returns a function that commits it, and one that asks in it. */
async function locking(rows: string) {
  const client = await portal.parts.database.pool.connect()
  await client.query('BEGIN')
  await client.query(`SELECT FROM ${rows} FOR UPDATE`)
  const commit = async () => {
    await client.query('COMMIT')
    client.release()
  }
  return { commit, query: (text: string) => client.query(text) }
}

test(
  'a contact that returns after a bulk delete has passed it keeps all of its data',
  { timeout: 60_000 },
  async () => {
    const member = await portal.member(await portal.account())
    const schema = `account_${member.account}`
    const { database } = portal.parts
    const line = (city: string, at: number) => `First${at},Last,${at}@x,${city}`
    const lines = Array.from({ length: 4500 }, (_, at) => line(at === 9 ? 'stay' : 'go', at))
    const load = (some: readonly string[]) =>
      importFile(portal, member, `First,Last,Email,City\n${some.join('\n')}\n`, withPurl)
    await load(lines)
    // For the records of imports.
    await load([line('home', 5)])
    const { rows } = await database.pool.query<{ id: string }>(`SELECT id::text FROM ${schema}.contacts ORDER BY id`)
    const idOf = (at: number): string => rows[at]?.id ?? ''
    const [returning, staying] = [idOf(5), idOf(9)]
    expect(await editField(member, returning, 'City', 'home', 'go')).toMatchObject({ status: 200 })
    await recordEvents(database.db, member.account, [newEvent(returning), newEvent(returning)])
    const rowsOfIt = async () => {
      const all = Object.entries(await allRows(portal, member))
      return all.map(([table, texts]) => [table, texts.filter((text) => text.includes(returning))])
    }
    const before = await rowsOfIt()

    const contact = (at: number): string => `${schema}.contacts WHERE id = ${idOf(at)}`
    const [first, last] = [await locking(contact(0)), await locking(contact(4400))]
    const deleting = member.delete(offers, { filter: [{ $match: { City: 'go' } }], deletedRecords: 4499 })
    await expect.poll(async () => (await listDeletes(member))[0]?.status).toBe('processing')
    const values: BothValues = { First: ['First9', 'First5'], Email: ['9@x', '5@x'], City: ['stay', 'go'] }
    const merge = await merged(member, staying, returning, values)
    await first.commit()
    const hasPassed = `SELECT position > ${returning} AS passed FROM ${schema}.deletes WHERE merged_into IS NULL`
    await expect.poll(async () => (await database.pool.query(hasPassed)).rows).toEqual([{ passed: true }])
    expect(await restored(member, merge.delete)).toMatchObject({ restore: { restoredRecords: 1 } })
    await last.commit()
    expect((await deleting).status).toBe(200)
    const kept = `SELECT FROM ${schema}.contacts`
    expect((await database.pool.query(kept)).rowCount).toBe(2)
    // The history of the contact into which it was merged names it, too.
    const ownRows = (all: unknown[][]) => all.filter(([table]) => table !== 'contact_changes')
    expect(ownRows(await rowsOfIt())).toEqual(ownRows(before))
    expect((await member.get(`${offers}/${returning}/changes`)).json()).toMatchObject([{ kind: 'edited' }])
  },
)

test('a contact that returns during a step of a bulk delete stays whole, or is kept whole', async () => {
  const { member, a, b, c } = await memberWithTwins(portal)
  const schema = `account_${member.account}`
  const { database } = portal.parts
  await recordEvents(database.db, member.account, [newEvent(a)])
  const contact = await locking(`${schema}.contacts WHERE id = ${a}`)
  const deleting = member.delete(offers, { filter: [{ $match: { First: 'Ada' } }], deletedRecords: 2 })
  await expect.poll(async () => (await listDeletes(member))[0]?.status).toBe('processing')
  const values: BothValues = {
    First: ['Bob', 'Ada'],
    Last: ['Ray', 'King'],
    Email: ['c@x', 'b@x'],
    City: ['Oslo', 'Rome'],
    Phone: [null, '555'],
  }
  expect(await askMerge(member, c, b, values)).toMatchObject({ status: 200 })
  // As the undo of the merge does, which is not committed yet when the step looks which contacts there are.
  const undo = await locking(`${schema}.events WHERE contact_id = ${a}`)
  await undo.query(`INSERT INTO ${schema}.contacts (id, import_id) VALUES (${b}, 1)`)
  await undo.query(
    `INSERT INTO ${schema}.events (id, contact_id, event_code, event_date, is_trigger)
     VALUES (gen_random_uuid(), ${b}, 'open', now(), false)`,
  )
  await contact.commit()
  await expect
    .poll(async () => (await lockWaits(database.pool)).join(), { interval: 1 })
    .toContain(`${schema}"."events"`)
  await undo.commit()
  expect(await deleting).toMatchObject({ status: 200 })
  const count = (
    table: string,
    column: string,
  ) => `(SELECT count(*)::int FROM ${schema}.${table} WHERE ${column} = ${b})
    + (SELECT count(*)::int FROM ${schema}.deleted_rows AS d JOIN ${schema}.deletes AS m ON m.id = d.delete_id
      WHERE m.merged_into IS NULL AND d.source = '${table}' AND d.contact_id = ${b})`
  const whole = `SELECT ${count('contacts', 'id')} AS contacts, ${count('events', 'contact_id')} AS events`
  expect((await database.pool.query(whole)).rows).toEqual([{ contacts: 1, events: 1 }])
})
