import type { FieldEntry, TypePreview } from '@portico/contract/fields'
import type { ColumnReading } from '@portico/contract/imports'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { identityOf } from '#test/resources/access.ts'
import { contactsOf, ended, importFile, submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { removeLeftColumns } from './field-deletes.service.ts'

const service = '/contact-service/v1'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

async function aMember(file: string, more: object = {}): Promise<Member> {
  const made = await portal.member(await portal.account())
  await importFile(portal, made, file, more)
  return made
}
const detailed = async (of: Member) => (await of.get(`${service}/fields/details`)).json<FieldEntry[]>()
const fieldOf = async (of: Member, name: string) => {
  const found = (await detailed(of)).find((field) => field.name === name)
  if (!found) throw new Error(`no field ${name}`)
  return found
}
const preview = async (of: Member, name: string, type: string) =>
  (await of.get(`${service}/fields/${(await fieldOf(of, name))._id}/type?type=${type}`)).json<TypePreview>()
const change = async (of: Member, name: string, reading: ColumnReading, broken = 0) =>
  of.put(`${service}/fields/${(await fieldOf(of, name))._id}/type`, { reading, broken })
async function retype(of: Member, name: string, reading: ColumnReading, broken = 0): Promise<void> {
  expect(await change(of, name, reading, broken)).toMatchObject({ status: 200 })
  await vi.waitFor(
    async () => expect(await fieldOf(of, name)).toMatchObject({ type: reading.type, typeChange: null }),
    { timeout: 20_000 },
  )
}
const valuesOf = async (of: Member, name: string) => (await contactsOf(of)).map((contact) => contact[name])
const detailsOf = async (of: Member, name: string) =>
  (await of.get(`${service}/fields/${(await fieldOf(of, name))._id}/details`)).json<{ written: number }>()

const odd = ['007', '2.10', '1e3', '$2,490.18', '12', 'n/a', '-0', ' 5 ']
const oddFile = `Email,Score\n${odd.map((text, at) => `p${at}@x,"${text}"`).join('\n')}\nlast@x,\n`

test('texts become numbers, and changing back restores each text as written', async () => {
  const member = await aMember(oddFile)
  const before = await valuesOf(member, 'Score')

  const { filled, readings, isAmbiguous, obstacle } = await preview(member, 'Score', 'number')
  expect({ filled, isAmbiguous, obstacle }).toEqual({ filled: odd.length, isAmbiguous: false, obstacle: null })
  const [first] = readings
  expect(first?.reading).toEqual({ type: 'number', decimal: 'point' })
  expect(first?.converted).toBe(6)
  expect(first?.misfits.contacts).toBe(2)
  expect(first?.misfits.first.map(({ text }) => text)).toEqual(['1e3', 'n/a'])
  expect(first?.examples).toContainEqual({ before: '$2,490.18', after: '2490.18' })

  await retype(member, 'Score', { type: 'number', decimal: 'point' })
  expect(await valuesOf(member, 'Score')).toEqual([7, 2.1, undefined, 2490.18, 12, undefined, 0, 5, undefined])
  expect(await detailsOf(member, 'Score')).toMatchObject({ written: 7 })

  await retype(member, 'Score', { type: 'string' })
  expect(await valuesOf(member, 'Score')).toEqual(before)
})

test('the order of day and month is taken from the values, or must be chosen when they are ambiguous', async () => {
  const member = await aMember('Email,Born,Joined\na@x,3/4/2024,3/4/2024\nb@x,25/12/2023,2024-02-01\n', {
    typeCasting: false,
  })
  const born = await preview(member, 'Born', 'day')
  expect(born.readings.map(({ reading, converted }) => [reading, converted])).toEqual([
    [{ type: 'day', order: 'day-first' }, 2],
    [{ type: 'day', order: 'month-first' }, 1],
  ])
  expect(born.isAmbiguous).toBe(false)
  expect(await preview(member, 'Joined', 'day')).toMatchObject({ isAmbiguous: true })

  await retype(member, 'Born', { type: 'day', order: 'day-first' })
  expect(await valuesOf(member, 'Born')).toEqual(['2024-04-03', '2023-12-25'])
  // From a day to a moment and to a number and back: the text stays that of the file.
  await retype(member, 'Born', { type: 'date', order: 'day-first' })
  expect(await valuesOf(member, 'Born')).toEqual(['2024-04-03T00:00:00.000Z', '2023-12-25T00:00:00.000Z'])
  await retype(member, 'Born', { type: 'number' })
  expect(await valuesOf(member, 'Born')).toEqual([undefined, undefined])
  await retype(member, 'Born', { type: 'string' })
  expect(await valuesOf(member, 'Born')).toEqual(['3/4/2024', '25/12/2023'])
})

test('a moment becomes its day in the time zone of the account, and changing back restores its time', async () => {
  const member = await aMember('Email,Seen\na@x,2024-04-24T22:30:00Z\nb@x,2024-01-01T00:00:00Z\n', {
    typeCasting: true,
  })
  await portal.parts.database.pool.query(`UPDATE portico.accounts SET time_zone = 'Europe/Zurich' WHERE id = $1`, [
    member.account,
  ])
  await retype(member, 'Seen', { type: 'day' })
  expect(await valuesOf(member, 'Seen')).toEqual(['2024-04-25', '2024-01-01'])
  await retype(member, 'Seen', { type: 'date' })
  expect(await valuesOf(member, 'Seen')).toEqual(['2024-04-24T22:30:00.000Z', '2024-01-01T00:00:00.000Z'])
})

test('yes or no values, and numbers in a further table, are converted and restored', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `F${at}`)
  const member = await aMember(
    `Email,Agreed,${names.join()}\na@x,Yes${',x'.repeat(300)}\nb@x,maybe${',y'.repeat(300)}\n`,
  )
  await retype(member, 'Agreed', { type: 'boolean' })
  expect(await valuesOf(member, 'Agreed')).toEqual([true, undefined])
  await retype(member, 'F299', { type: 'number' })
  await retype(member, 'F299', { type: 'string' })
  await retype(member, 'Agreed', { type: 'string' })
  expect(await valuesOf(member, 'Agreed')).toEqual(['Yes', 'maybe'])
  expect(await valuesOf(member, 'F299')).toEqual(['x', 'y'])
})

test('editing a value drops its written text, and undoing the edit restores it', async () => {
  const member = await aMember(oddFile)
  await retype(member, 'Score', { type: 'number' })
  const ids = (await contactsOf(member)).map(({ _id }) => _id)
  const edit = (at: number, from: unknown, to: unknown) =>
    member.put(`${service}/offers/${ids[at]}`, { changes: { Score: { from, to } } })
  const undo = async (at: number) => {
    const [last] = (await member.get(`${service}/offers/${ids[at]}/changes`)).json<{ _id: string }[]>()
    return member.post(`${service}/offers/${ids[at]}/changes/${last?._id}/undo`)
  }
  // 007, which stays changed; 2.10, which comes back; 1e3, which is emptied by hand; n/a, which is taken back.
  expect(await edit(0, 7, 8)).toMatchObject({ status: 200 })
  await edit(1, 2.1, 4)
  await undo(1)
  await edit(2, null, 1000)
  await edit(2, 1000, null)
  await edit(5, null, 5)
  await undo(5)
  await retype(member, 'Score', { type: 'string' })
  expect((await valuesOf(member, 'Score')).slice(0, 6)).toEqual(['8', '2.10', undefined, '$2,490.18', '12', 'n/a'])
})

test('a later import drops written texts of changed values, and widening to text restores the others', async () => {
  const member = await aMember('Email,Score\na@x,007\nb@x,2.10\nc@x,n/a\nd@x,n/a\n', { dedupColumns: ['Email'] })
  await retype(member, 'Score', { type: 'number' })
  await importFile(portal, member, 'Email,Score\na@x,9\nb@x,2.1\nc@x,3\n', { dedupColumns: ['Email'] })
  expect(await valuesOf(member, 'Score')).toEqual([9, 2.1, 3, undefined])
  await importFile(portal, member, 'Email,Score\ne@x,none\n', { dedupColumns: ['Email'], onMismatch: 'text' })
  expect(await fieldOf(member, 'Score')).toMatchObject({ type: 'string' })
  expect(await valuesOf(member, 'Score')).toEqual(['9', '2.10', '3', 'n/a', 'none'])
})

test('written texts are deleted with their contacts, and old columns after some time', async () => {
  const { db, pool } = portal.parts.database
  const member = await aMember('Email,Score\na@x,007\nb@x,n/a\n')
  await retype(member, 'Score', { type: 'number' })
  const texts = () => pool.query(`SELECT written FROM account_${member.account}.written_texts`)
  const filter = [{ $match: { Email: 'b@x' } }]
  expect(await member.delete(`${service}/offers`, { filter, deletedRecords: 1 })).toMatchObject({ status: 200 })
  expect((await texts()).rows).toEqual([{ written: '007' }])

  const columns = async () => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = $1 AND table_name = 'contacts' AND column_name LIKE 'c_' ORDER BY 1`,
      [`account_${member.account}`],
    )
    return rows.map(({ name }) => name)
  }
  const inHours = (hours: number) => new Date(Date.now() + hours * 3600 * 1000)
  expect(await removeLeftColumns(db, member.account, inHours(0.5))).toBe(0)
  expect(await columns()).toEqual(['c1', 'c2', 'c3'])
  expect(await removeLeftColumns(db, member.account, inHours(2))).toBe(1)
  expect(await columns()).toEqual(['c1', 'c3'])
  await retype(member, 'Score', { type: 'string' })
  expect(await valuesOf(member, 'Score')).toEqual(['007'])
})

test('the preview lists filters and indexes that do not support the new type', async () => {
  const member = await aMember('Email,Score,City\na@x,1,Oslo\nb@x,2,Rome\n')
  const save = (name: string, match: object) =>
    member.post(`${service}/rdls`, { name, aggregateQuery: JSON.stringify([{ $match: match }]) })
  await save('Ones', { Score: '1' })
  await save('With a score', { Score: { $exists: true } })
  await save('In Oslo', { City: 'Oslo' })
  await member.post(`${service}/indexes`, { key: [['Score', 1]] })
  const { uses } = await preview(member, 'Score', 'number')
  expect(uses).toEqual([
    { kind: 'filter', name: 'Ones', problem: expect.stringContaining('"Score" can be compared with a number') },
    { kind: 'filter', name: 'With a score', problem: null },
    { kind: 'index', name: 'cIndex_Score_1', problem: null },
  ])
  // It needs consent to what will no longer work.
  for (const shown of [0, 2]) {
    expect(await change(member, 'Score', { type: 'number' }, shown)).toMatchObject({
      status: 409,
      body: { error: { code: 'in_use', details: { broken: 1 } } },
    })
  }
  await retype(member, 'Score', { type: 'number' }, 1)
  const find = encodeURIComponent(JSON.stringify([{ $match: { Score: { $gte: 2 } } }]))
  expect((await member.get(`${service}/offers?find=${find}&count=`)).body).toEqual({ count: 1 })
})

test('dedup columns, unique indexes and row rules that depend on the type block the change', async () => {
  const member = await aMember('Email,Code,Zone\na@x,1,7\nb@x,2,8\n', { dedupColumns: ['Email'] })
  await member.post(`${service}/indexes`, { key: [['Code', 1]], options: { unique: true } })
  const limited = await portal.member(member.account)
  await portal.parts.database.pool.query('UPDATE portico.identities SET row_rule = $2 WHERE id = $1', [
    await identityOf(portal, limited),
    JSON.stringify([{ $match: { Zone: '7' } }]),
  ])
  for (const [name, reason] of [
    ['Email', 'Imports tell contacts apart by "Email"'],
    ['Code', 'The index "Code_1" is unique'],
    ['Zone', 'The row rule "'],
  ] as const) {
    expect((await preview(member, name, 'number')).obstacle).toContain(reason)
    const answer = await change(member, name, { type: 'number' })
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'in_use' } } })
    expect(JSON.stringify(answer.body)).toContain(reason.replaceAll('"', '\\"'))
  }
  expect(await limited.get(`${service}/fields/${(await fieldOf(member, 'Code'))._id}/type?type=number`)).toMatchObject({
    status: 403,
  })
})

test('a type change requires the right, the account of the field and a different type', async () => {
  const member = await aMember('Email,Score\na@x,1\n')
  const id = (await fieldOf(member, 'Score'))._id
  const path = `${service}/fields/${id}/type`
  const reading = { type: 'number' }
  const clerk = await portal.member(member.account, 'contact-service::fields::get', 'contact-service::offers::get')
  expect(await clerk.put(path, { reading })).toMatchObject({ status: 403 })
  expect(await clerk.get(`${path}?type=number`)).toMatchObject({ status: 403 })
  const stranger = await portal.member(await portal.account())
  expect(await stranger.put(path, { reading })).toMatchObject({ status: 404 })
  expect(await stranger.get(`${path}?type=number`)).toMatchObject({ status: 404 })
  expect(await member.put(path, { reading: { type: 'string' } })).toMatchObject({ status: 400 })
  expect(await member.put(path, { reading: { type: 'number', decimal: 'dot' } })).toMatchObject({ status: 400 })
  expect(await fieldOf(member, 'Score')).toMatchObject({ type: 'string', typeChange: null })
})

test('a type change is refused during an import, and a later import waits for the type change', async () => {
  const { pool } = portal.parts.database
  const member = await aMember('Email,Score\na@x,1\n')
  const schema = `account_${member.account}`
  // An import that has not ended.
  await pool.query(`UPDATE ${schema}.imports SET status = 'processing'`)
  expect(await change(member, 'Score', { type: 'number' })).toMatchObject({
    status: 409,
    body: { error: { code: 'field_busy' } },
  })
  await pool.query(`UPDATE ${schema}.imports SET status = 'completed'`)
  // A change that another worker is making.
  await pool.query(
    `INSERT INTO ${schema}.field_retypes (field, reading, status, creator, created_at)
     VALUES (2, '{"type": "number"}', 'processing', 'a@x', now())`,
  )
  expect(await change(member, 'Score', { type: 'number' })).toMatchObject({
    status: 409,
    body: { error: { code: 'field_busy' } },
  })
  const { _id } = await submit(portal, member, 'Email,Score\nb@x,2\n')
  // It gives its place to imports of others, and the queue asks again.
  const { account } = member
  await vi.waitFor(
    async () => {
      const { rows } = await pool.query<{ state: string }>(
        `SELECT state::text FROM jobs.job WHERE name = 'run-import' AND data->>'account' = $1 AND data->>'importId' = $2`,
        [String(account), _id],
      )
      expect(rows).toEqual([{ state: 'retry' }])
    },
    { timeout: 20_000, interval: 20 },
  )
  expect(await contactsOf(member)).toHaveLength(1)
  await pool.query(`UPDATE ${schema}.field_retypes SET status = 'rejected'`)
  expect(await ended(member, _id)).toMatchObject({ status: 'completed' })
  expect(await valuesOf(member, 'Score')).toEqual(['1', '2'])
})

test('the audit log records who started a type change, and its result', async () => {
  const member = await aMember('Email,Score\na@x,007\n')
  await retype(member, 'Score', { type: 'number', decimal: 'comma' })
  const { rows } = await portal.parts.database.pool.query(
    `SELECT action, actor, subject, details FROM portico.audit_log WHERE account_id = $1 AND action LIKE 'field%' ORDER BY id`,
    [member.account],
  )
  const type = { old: 'string', new: 'number' }
  expect(rows).toMatchObject([
    { action: 'field type change started', actor: member.email, subject: 'Score', details: { type } },
    { action: 'field changed', actor: member.email, details: { type, reading: { decimal: 'comma' }, keptTexts: 1 } },
  ])
})
