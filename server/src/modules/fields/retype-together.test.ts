import type { FieldEntry } from '@portico/contract/fields'
import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { contactsOf, ended, importFile, submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Changes of types at the same time as imports, edits, renames and deletes of fields.

const service = '/contact-service/v1'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

async function aMember(file: string): Promise<Member> {
  const made = await portal.member(await portal.account())
  await importFile(portal, made, file, { dedupColumns: ['Email'] })
  return made
}
const fieldOf = async (member: Member, name: string) => {
  const fields = (await member.get(`${service}/fields/details`)).json<FieldEntry[]>()
  const field = fields.find((each) => each.name === name)
  if (!field) throw new Error(`no field ${name}`)
  return field
}
const change = async (member: Member, name: string, type: string) =>
  member.put(`${service}/fields/${(await fieldOf(member, name))._id}/type`, { reading: { type } })
const untilTypeIs = (member: Member, name: string, type: string) =>
  vi.waitFor(async () => expect(await fieldOf(member, name)).toMatchObject({ type, typeChange: null }), {
    timeout: 30_000,
  })
const undo = (member: Member, { _id }: { _id: string }) => member.post(`${service}/imports/${_id}/undo`)
const scoresOf = async (member: Member) =>
  new Map((await contactsOf(member)).map((contact) => [contact['Email'], contact['Score']]))

test('an import submitted at the same time runs before or after the type change', async () => {
  const member = await aMember('Email,Score\na@x,01\nb@x,02\n')
  for (let round = 0, type = 'number'; round < 4; round++, type = type === 'number' ? 'string' : 'number') {
    const file = `Email,Score\na@x,${round + 3}\nn${round}@x,5\n`
    const [answer, { _id }] = await Promise.all([
      change(member, 'Score', type),
      submit(portal, member, file, { dedupColumns: ['Email'] }),
    ])
    expect(await ended(member, _id)).toMatchObject({ status: 'completed' })
    // It is refused while the import has not ended, and made then.
    const isFirst = answer.status === 200
    expect(answer).toMatchObject(isFirst ? { status: 200 } : { status: 409, body: { error: { code: 'field_busy' } } })
    const later = isFirst ? answer : await change(member, 'Score', type)
    expect(later).toMatchObject({ status: 200 })
    await untilTypeIs(member, 'Score', type)
    const scores = await scoresOf(member)
    expect(scores.get('a@x')).toBe(type === 'number' ? round + 3 : String(round + 3))
    expect(scores.get('b@x')).toBe(type === 'number' ? 2 : '02')
    expect(scores.size).toBe(3 + round)
  }
})

test('edits while the type changes back and forth are neither lost nor mixed up', { timeout: 120_000 }, async () => {
  const count = 3000
  const rows = Array.from({ length: count }, (_, at) => `p${at}@x,${at}`)
  const member = await aMember(`Email,Score\n${rows.join('\n')}\n`)
  const shown = await contactsOf(member)
  const expected = new Map(rows.map((row) => [row.split(',')[0] ?? '', row.split(',')[1] ?? '']))
  let isOver = false
  let edits = 0
  const edit = async (lane: number): Promise<void> => {
    // Each lane has contacts of its own, so that their edits do not meet.
    for (let next = lane; !isOver; next += 4) {
      const contact = shown[next % 400]
      if (!contact) throw new Error('a contact is gone')
      const path = `${service}/offers/${contact._id}`
      const now = (await member.get(path)).json<{ Score: number | string }>().Score
      const to = typeof now === 'number' ? now + 1000 : String(Number(now) + 1000)
      const answer = await member.put(path, { changes: { Score: { from: now, to } } })
      // The type has changed in between.
      if ([400, 409].includes(answer.status)) continue
      expect(answer).toMatchObject({ status: 200 })
      edits++
      expected.set(String(contact['Email']), String(to))
    }
  }
  const lanes = [0, 1, 2, 3].map((lane) => edit(lane))
  for (const type of ['number', 'string', 'number', 'string']) {
    expect(await change(member, 'Score', type)).toMatchObject({ status: 200 })
    await untilTypeIs(member, 'Score', type)
  }
  isOver = true
  await Promise.all(lanes)
  expect(edits).toBeGreaterThan(20)
  const { rows: stored } = await portal.parts.database.pool.query<{ email: string; score: string }>(
    `SELECT c1 AS email, ${columnOf(await columnNumber(member))} AS score FROM account_${member.account}.contacts`,
  )
  expect(new Map(stored.map(({ email, score }) => [email, score]))).toEqual(expected)
})

const columnOf = (number: number): string => `c${number}`
async function columnNumber(member: Member): Promise<number> {
  const { rows } = await portal.parts.database.pool.query<{ number: number }>(
    `SELECT coalesce(column_no, id) AS number FROM account_${member.account}.fields WHERE name = 'Score'`,
  )
  return rows[0]?.number ?? 0
}

test('one of two simultaneous type changes is made, and later fields get other columns', async () => {
  const member = await aMember('Email,Score,Zone\na@x,01,1\n')
  const answers = await Promise.all([change(member, 'Score', 'number'), change(member, 'Score', 'boolean')])
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409])
  const winner = answers[0]?.status === 200 ? 'number' : 'boolean'
  expect(await change(member, 'Zone', 'number')).toMatchObject({ status: 200 })
  await untilTypeIs(member, 'Score', winner)
  await untilTypeIs(member, 'Zone', 'number')
  await importFile(portal, member, 'Email,Zone,City\na@x,1,Oslo\n', { dedupColumns: ['Email'] })
  expect(await contactsOf(member)).toMatchObject([{ Zone: 1, City: 'Oslo', ...(winner === 'number' && { Score: 1 }) }])
  const { rows } = await portal.parts.database.pool.query<{ id: number; number: number }>(
    `SELECT id, coalesce(column_no, id) AS number FROM account_${member.account}.fields ORDER BY id`,
  )
  const numbers = rows.map(({ number }) => number)
  expect(new Set(numbers).size).toBe(numbers.length)
  // Nor has a field the number of a column that another had.
  expect(rows.at(-1)?.id).toBeGreaterThan(Math.max(...numbers.slice(0, -1)))
})

test('a field can be renamed during its type change, and a deleted field keeps its values', async () => {
  const member = await aMember('Email,Score,Zone\na@x,01,07\n')
  const [score, zone] = [await fieldOf(member, 'Score'), await fieldOf(member, 'Zone')]
  const [changed, renamed] = await Promise.all([
    change(member, 'Score', 'number'),
    member.put(`${service}/fields/${score._id}`, { name: 'Points' }),
  ])
  expect([changed.status, renamed.status]).toEqual([200, 200])
  await untilTypeIs(member, 'Points', 'number')
  expect(await contactsOf(member)).toMatchObject([{ Points: 1 }])

  // It waits for a change that another worker is making, so that the field is gone when it begins.
  const { pool } = portal.parts.database
  const hold = await pool.connect()
  try {
    await hold.query(`BEGIN; LOCK TABLE account_${member.account}.field_retypes IN SHARE ROW EXCLUSIVE MODE`)
    const asked = change(member, 'Zone', 'number')
    const deleted = member.delete(`${service}/fields/${zone._id}`)
    await hold.query('COMMIT')
    await Promise.all([asked, deleted])
  } finally {
    hold.release()
  }
  await vi.waitFor(async () => {
    const { rows } = await pool.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM account_${member.account}.field_retypes WHERE status NOT IN ('completed', 'rejected')`,
    )
    expect(rows).toEqual([{ open: 0 }])
  }, 20_000)
  const now = await fieldOf(member, 'Zone')
  // A deleted one is restored; one that was changed before is there.
  const restored = now.deleted ? await member.post(`${service}/fields/${zone._id}/restore`) : { status: 200 }
  expect(restored).toMatchObject({ status: 200 })
  const [contact] = await contactsOf(member)
  expect(contact?.['Zone']).toBe((await fieldOf(member, 'Zone')).type === 'number' ? 7 : '07')
})

test('deleting a field ends its type change, so no import waits for it', async () => {
  const member = await aMember('Email,Score\na@x,1\n')
  const schema = `account_${member.account}`
  const { pool } = portal.parts.database
  // A change whose worker is gone.
  await pool.query(
    `INSERT INTO ${schema}.field_retypes (field, reading, status, creator, created_at)
     VALUES (2, '{"type": "number"}', 'recovery', 'a@x', now())`,
  )
  expect(await member.delete(`${service}/fields/2?uses=0`)).toMatchObject({ status: 200 })
  const { rows } = await pool.query(`SELECT status, recovery_error AS reason FROM ${schema}.field_retypes`)
  expect(rows).toEqual([{ status: 'rejected', reason: 'The field was deleted.' }])
  const { _id } = await submit(portal, member, 'Email\nb@x\n', { dedupColumns: ['Email'] })
  expect(await ended(member, _id)).toMatchObject({ status: 'completed' })
})

test('undoing an import takes turns with a type change and skips values of another type', async () => {
  const { pool } = portal.parts.database
  const member = await aMember('Email,Score,City\na@x,n/a,Oslo\nb@x,2,Rome\n')
  const schema = `account_${member.account}`
  const later = await importFile(portal, member, 'Email,Score,City\na@x,7,Bern\nc@x,3,Bern\n', {
    dedupColumns: ['Email'],
  })
  expect(await change(member, 'Score', 'number')).toMatchObject({ status: 200 })
  await untilTypeIs(member, 'Score', 'number')

  const busy = { status: 409, body: { error: { code: 'field_busy' } } }
  await pool.query(`UPDATE ${schema}.imports SET undo_status = 'waiting' WHERE id = $1`, [later._id])
  expect(await change(member, 'Score', 'string')).toMatchObject(busy)
  await pool.query(`UPDATE ${schema}.imports SET undo_status = NULL`)
  await pool.query(
    `INSERT INTO ${schema}.field_retypes (field, reading, status, creator, created_at)
     VALUES (1, '{"type": "number"}', 'waiting', 'a@x', now())`,
  )
  expect(await undo(member, later)).toMatchObject(busy)
  await pool.query(`UPDATE ${schema}.field_retypes SET status = 'rejected' WHERE field = 1`)

  expect(await undo(member, later)).toMatchObject({ status: 202 })
  const details = async () => (await member.get(`${service}/imports/${later._id}`)).json<Import>()
  await vi.waitFor(async () => expect((await details()).undo).toMatchObject({ status: 'completed' }), {
    timeout: 30_000,
  })
  // The text "n/a" does not fit the type that the field has now, so that its value stays and is listed.
  expect(await contactsOf(member)).toMatchObject([
    { Email: 'a@x', Score: 7, City: 'Oslo' },
    { Email: 'b@x', Score: 2, City: 'Rome' },
  ])
  expect((await member.get(`${service}/imports/${later._id}/undo`)).body).toMatchObject({
    removedContacts: 1,
    returnedContacts: 1,
    keptValues: 1,
    kept: [{ field: 'Score', reason: 'changed' }],
  })
})
