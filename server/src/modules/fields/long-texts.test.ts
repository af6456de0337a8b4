import type { FieldEntry, TypePreview } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { selectContactTexts, type ContactField, listContactFields } from '#contacts'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Types of fields with more text than is read at once.

const service = '/contact-service/v1'
const mib = 2 ** 20

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

/** Contacts with a text that is no number of about `bytes` each, but for the last ones, which have `rest`. */
async function withTexts(count: number, bytes: number, rest: readonly string[] = []): Promise<Member> {
  const member = await portal.member(await portal.account())
  const { database } = portal.parts
  await addContacts(database, member.account, { Note: 'string' }, [{ Note: '' }])
  const schema = `account_${member.account}`
  await database.pool.query(`DELETE FROM ${schema}.contacts`)
  await database.pool.query(
    `INSERT INTO ${schema}.contacts (id, import_id, c1)
     SELECT (1::bigint << 33) + i, 1, CASE WHEN i <= $1 THEN repeat('n/a ', $2) || i ELSE ($3::text[])[i - $1] END
     FROM generate_series(1, $1::int + $4::int) AS i`,
    [count, bytes / 4, rest, rest.length],
  )
  return member
}
const note = async (member: Member) => {
  const [field] = (await member.get(`${service}/fields/details`)).json<FieldEntry[]>()
  if (!field) throw new Error('the field is gone')
  return field
}
const preview = (member: Member) => member.get(`${service}/fields/1/type?type=number`)

test.each([
  ['many texts of ordinary length', 60_000, 1000],
  ['a few long ones', 60, mib],
])(
  'a preview reads %s with more bytes than a call can hold in memory',
  { timeout: 120_000 },
  async (_what, count, bytes) => {
    const member = await withTexts(count, bytes, ['7'])
    const answer = await preview(member)
    expect(answer).toMatchObject({ status: 200 })
    const { filled, readings } = answer.json<TypePreview>()
    expect(filled).toBe(count + 1)
    expect(readings[0]).toMatchObject({ converted: 1, misfits: { contacts: count } })
    expect(readings[0]?.misfits.first[0]?.text).toHaveLength(201)
  },
)

test('texts are read in chunks of a few megabytes, with at least one text each', async () => {
  const member = await withTexts(5, 3 * mib, ['7', '8'])
  const { db } = portal.parts.database
  const [field] = await listContactFields(db, member.account)
  const pieces: number[] = []
  for (let after = '0'; ;) {
    const selected = { timeZone: 'UTC', after, limit: 500 }
    const texts = await selectContactTexts(db, member.account, field as ContactField, selected)
    const last = texts.at(-1)
    if (!last) break
    pieces.push(texts.length)
    after = last.id
  }
  expect(pieces).toEqual([3, 4])
  const huge = await withTexts(2, 20 * mib)
  const [one] = await listContactFields(db, huge.account)
  const selected = { timeZone: 'UTC', after: '0', limit: 500 }
  expect(await selectContactTexts(db, huge.account, one as ContactField, selected)).toHaveLength(1)
})

test('the type of a field with long texts is changed in chunks, and changed back', { timeout: 120_000 }, async () => {
  const member = await withTexts(30, mib, ['007', '8'])
  const change = async (type: string) => {
    const asked = await member.put(`${service}/fields/1/type`, { reading: { type }, broken: 0 })
    expect(asked).toMatchObject({ status: 200 })
    await vi.waitFor(async () => expect(await note(member)).toMatchObject({ type, typeChange: null }), {
      timeout: 50_000,
      interval: 200,
    })
  }
  await change('number')
  const { pool } = portal.parts.database
  const schema = `account_${member.account}`
  const { rows: numbers } = await pool.query(
    `SELECT count(c2)::int AS numbers, sum(c2) AS sum, (SELECT count(*)::int FROM ${schema}.written_texts) AS texts
       FROM ${schema}.contacts`,
  )
  expect(numbers).toEqual([{ numbers: 2, sum: 15, texts: 31 }])
  await change('string')
  const { rows } = await pool.query(
    `SELECT count(*)::int AS same FROM ${schema}.contacts WHERE c3 IS NOT DISTINCT FROM c1`,
  )
  expect(rows).toEqual([{ same: 32 }])
})
