import type { NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { importWorkers } from '#test/processes/import-workers.ts'
import { submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A first import gives its contacts their keys after loading them, in several transactions. If it is interrupted
// between any two of them, its final result is the same. The tests delay a transaction by locking the record it is
// about to write.

let portal: TestPortal

beforeAll(async () => {
  // No worker in this process: the tests start their own and kill it.
  portal = await startPortal()
})
afterAll(() => portal.close())

const settings: Partial<NewImport> = {
  generatePURL: true,
  purlColumns: ['Name'],
  dedupColumns: ['Email'],
  dedupHashMatching: true,
  latitudeColumn: 'Latitude',
  longitudeColumn: 'Longitude',
}

const contacts = 60

/**
 * A file with two rows of each contact, and three of some. Names, from which PURLs are made, differ between these rows;
 * each name belongs to several contacts.
 */
function contactFile(): string {
  const who = [...Array(contacts).keys()]
  const row = (contact: number, name: string) => `p${contact}@example.com,${name},${contact}.5,${contact}.25\n`
  return [
    'Email,Name,Latitude,Longitude\n',
    ...who.map((contact) => row(contact, `first ${'abcdefghij'[contact % 10]}`)),
    ...who.map((contact) => row(contact, `later ${'klmnopqrst'[(contact * 7) % 10]}`)),
    ...who.filter((contact) => contact % 4 === 0).map((contact) => row(contact, `last ${'uvwxyz'[contact % 6]}`)),
  ].join('')
}

const file = contactFile()

type State = { status: string; committed: string[] }

async function stateOf(member: Member, importId: string): Promise<State> {
  const schema = `account_${member.account}`
  const { rows } = await portal.parts.database.pool.query<State>(
    `SELECT status, ARRAY(SELECT batch || ':' || lane FROM ${schema}.import_batches WHERE import_id = i.id) AS committed
     FROM ${schema}.imports AS i WHERE id = $1`,
    [importId],
  )
  if (!rows[0]) throw new Error('the import is gone')
  return rows[0]
}

const { killWhen, finish } = importWorkers(() => portal, stateOf)

/** Blocks the writer of this record of an import until the returned function is called. */
async function hold(member: Member, importId: string, record: string): Promise<() => Promise<void>> {
  const client = await portal.parts.database.pool.connect()
  await client.query('BEGIN')
  await client.query(
    `INSERT INTO account_${member.account}.import_batches (import_id, batch, lane, rows, created, updated)
     VALUES ($1, $2, $3, 0, 0, 0)`,
    [importId, ...record.split(':')],
  )
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** All contacts of the account with their keys, in the order of their rows. */
async function contactsOf(member: Member): Promise<unknown[]> {
  const schema = `account_${member.account}`
  const { rows } = await portal.parts.database.pool.query(
    `SELECT c.id, c1, c2, dedup_hash IS NOT NULL AS has_hash, base_purl, purl_number, latitude, longitude
     FROM ${schema}.contacts AS c FULL JOIN ${schema}.contact_keys AS k ON k.id = c.id ORDER BY c.id`,
  )
  return rows
}

async function newImport(): Promise<{ member: Member; id: string }> {
  const member = await portal.member(await portal.account())
  return { member, id: (await submit(portal, member, file, settings))._id }
}

/** Expects an import to have the same result as without interruption; importing its file again adds nothing. */
async function expectUndisturbed({ member, id }: { member: Member; id: string }): Promise<void> {
  const calm = await newImport()
  const calmEnd = await finish(calm.member, calm.id)
  const { createdRecords, updatedRecords, purlProcessedRecords } = calmEnd
  expect(createdRecords).toBe(contacts)
  const end = await finish(member, id)
  expect(end).toMatchObject({ status: 'completed', createdRecords, updatedRecords, purlProcessedRecords })
  const expected = await contactsOf(calm.member)
  expect(expected).toHaveLength(contacts)
  // The first row of a contact determines its PURL, the last its name.
  expect(expected[4]).toMatchObject({ c2: 'last y', base_purl: 'firste', purl_number: 1, has_hash: true })
  expect(await contactsOf(member)).toEqual(expected)
  const again = await submit(portal, member, file, { ...settings, name: 'Again' })
  expect(await finish(member, again._id)).toMatchObject({ status: 'completed', createdRecords: 0 })
}

describe('kill -9 during a first import that computes contact keys', () => {
  test.each([
    { moment: 'with the first share of the keys written', held: '-1:1', committed: ['-1:0'] },
    { moment: 'with the second share of the keys written', held: '-1:0', committed: ['-1:1'] },
    { moment: 'with all keys written, before repeated rows are merged', held: '-2:0', committed: ['-1:0', '-1:1'] },
  ])('$moment', async ({ held, committed }) => {
    const disturbed = await newImport()
    const release = await hold(disturbed.member, disturbed.id, held)
    const isTime = (state: State) => committed.every((record) => state.committed.includes(record))
    expect(await killWhen(disturbed.member, disturbed.id, isTime)).toBe(true)
    await release()
    await expectUndisturbed(disturbed)
  })
})

test('keys emptied by a PostgreSQL crash are computed again', async () => {
  const disturbed = await newImport()
  const { member, id } = disturbed
  const release = await hold(member, id, '-1:1')
  const end = finish(member, id)
  await vi.waitUntil(async () => (await stateOf(member, id)).committed.includes('-1:0'), { timeout: 30_000 })
  const tables = ['keys', 'matched'].map((part) => `account_${member.account}.stage_${id}_${part}`)
  await portal.parts.database.pool.query(`TRUNCATE ${tables.join(', ')}`)
  await release()
  expect((await end).recoveryCount).toBe(1)
  await expectUndisturbed(disturbed)
})
