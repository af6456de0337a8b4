import type { UndoFigures } from '@portico/contract/import-undo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importAtOnce, readImport, runUndoOf } from '#test/resources/import-undos.ts'
import { contactsOf } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Three imports that change the same values are undone in every order, compared with a list of what wrote each value.

let portal: TestPortal
let ann: Member
beforeAll(async () => {
  // No worker in this process: the test runs the jobs.
  portal = await startPortal()
  ann = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const imports = '/contact-service/v1/imports'
const settings = {
  typeCasting: true,
  generatePURL: true,
  dedupHashMatching: false,
  purlColumns: ['Name'],
  dedupColumns: ['Email'],
  latitudeColumn: 'Lat',
  longitudeColumn: 'Lng',
}
const columns = ['Name', 'Score', 'Note', 'Day', 'Lat', 'Lng'] as const
const fields = [...columns, 'purl'] as const
type Field = (typeof fields)[number]
type Value = string | number | undefined
type Values = Partial<Record<Field, Value>>

/** By email and field: the values written, oldest first, each with what wrote it. */
class Model {
  readonly contacts = new Map<string, Record<Field, { by: string; value: Value }[]>>()

  write(by: string, email: string, values: Values): void {
    const none = () => [{ by: 'nothing', value: undefined }]
    const fresh = () => ({
      Name: none(),
      Score: none(),
      Note: none(),
      Day: none(),
      Lat: none(),
      Lng: none(),
      purl: none(),
    })
    const contact = this.contacts.get(email) ?? fresh()
    this.contacts.set(email, contact)
    for (const field of fields) {
      const value = values[field]
      if (value !== undefined && value !== contact[field].at(-1)?.value) contact[field].push({ by, value })
    }
  }

  /** Forgets the values that an import wrote. Returns the expected figures. */
  undo(by: string): Pick<UndoFigures, 'returnedContacts' | 'keptValues'> {
    let returnedContacts = 0
    let keptValues = 0
    for (const contact of this.contacts.values()) {
      const returned = fields.filter((field) => contact[field].at(-1)?.by === by)
      if (returned.length > 0) returnedContacts++
      for (const field of fields) {
        if (contact[field].some((each) => each.by === by) && !returned.includes(field)) keptValues++
        contact[field] = contact[field].filter((each) => each.by !== by)
      }
    }
    return { returnedContacts, keptValues }
  }

  listed(): unknown {
    return Object.fromEntries(
      [...this.contacts].map(([email, contact]) => [
        email,
        Object.fromEntries(fields.map((field) => [field, contact[field].at(-1)?.value])),
      ]),
    )
  }
}

const cases = ['all', 'edited first', 'edited then', 'edited last', 'gap', 'again', 'blank'] as const
type Case = (typeof cases)[number]
const model = new Model()
const addressOf = (round: number, which: Case) => `${round}.${which.replace(' ', '.')}@x`
const letters = (round: number, which: Case, step: number) =>
  `p${'abcdef'[round]}${'ghijklm'[cases.indexOf(which)]}${'wxyz'[step]}`

/** The values of a row in the import of a step, 0 for the first one that creates all contacts. */
function valuesOf(round: number, which: Case, step: number): Values {
  const isGap = which === 'gap' && step === 2
  const name = letters(round, which, isGap ? 1 : step)
  if (isGap) return { Name: name, purl: name, Note: 'only a note' }
  if (which === 'blank' && step === 0) return { Name: name, purl: name }
  // The last import writes the values of the first one again.
  const number = which === 'again' && step === 3 ? 1 : step
  const note = `${'long '.repeat(10)}${number}`
  return {
    Name: name,
    purl: name,
    Score: number,
    Note: note,
    Day: `2024-01-0${number + 1}`,
    Lat: number,
    Lng: 10 + number,
  }
}

/** Imports rows of one round. Returns the id. */
async function load(rounds: readonly number[], step: number): Promise<string> {
  const rows = rounds.flatMap((round) => cases.map((which) => ({ round, which, values: valuesOf(round, which, step) })))
  // The columns of each file have another order.
  const order = step % 2 === 0 ? columns : columns.toReversed()
  const lines = rows.map(({ round, which, values }) =>
    [...order.map((column) => values[column] ?? ''), addressOf(round, which)].join(','),
  )
  const { _id, status } = await importAtOnce(
    portal,
    ann,
    `${[...order, 'Email'].join()}\n${lines.join('\n')}\n`,
    settings,
  )
  expect(status).toBe('completed')
  for (const { round, which, values } of rows) model.write(_id, addressOf(round, which), values)
  return _id
}

async function edit(round: number, which: Case, score: number): Promise<void> {
  const contact = (await contactsOf(ann)).find(({ Email }) => Email === addressOf(round, which))
  const changes = { Score: { from: contact?.Score, to: score }, Note: { from: contact?.Note, to: `edited ${score}` } }
  expect(await ann.put(`/contact-service/v1/offers/${contact?._id}`, { changes })).toMatchObject({ status: 200 })
  model.write('a person', addressOf(round, which), { Score: score, Note: `edited ${score}` })
}

const stored = async () =>
  Object.fromEntries(
    (await contactsOf(ann)).map((contact) => [
      contact.Email,
      Object.fromEntries(fields.map((field) => [field, contact[field]])),
    ]),
  )

async function undone(id: string): Promise<void> {
  const figures = async () => (await ann.get(`${imports}/${id}/undo`)).json<UndoFigures>()
  const forecast = await figures()
  expect(await ann.post(`${imports}/${id}/undo`)).toMatchObject({ status: 202 })
  await runUndoOf(portal, ann, id)
  expect((await readImport(ann, id)).undo).toMatchObject({ status: 'completed' })
  expect(await figures()).toEqual(forecast)
  expect(forecast).toMatchObject({ removedContacts: 0, keptContacts: 0, ...model.undo(id) })
  expect(await stored()).toEqual(model.listed())
}

test('three imports undone in any order leave the values of before, and those of people', async () => {
  const orders = [
    [1, 2, 3],
    [1, 3, 2],
    [2, 1, 3],
    [2, 3, 1],
    [3, 1, 2],
    [3, 2, 1],
  ]
  await load([...orders.keys()], 0)
  for (const [round, order] of orders.entries()) {
    const first = await load([round], 1)
    await edit(round, 'edited first', 70)
    const second = await load([round], 2)
    await edit(round, 'edited then', 80)
    const third = await load([round], 3)
    await edit(round, 'edited last', 90)
    expect(await stored()).toEqual(model.listed())
    const ids = ['', first, second, third]
    for (const each of order) await undone(ids[each] ?? '')
  }
  const { rows } = await portal.parts.database.pool.query(
    `SELECT k.latitude AS "Lat", k.longitude AS "Lng" FROM account_${ann.account}.contact_keys AS k ORDER BY k.id`,
  )
  expect(rows).toEqual((await contactsOf(ann)).map(({ Lat = null, Lng = null }) => ({ Lat, Lng })))
})

test('a value from before a later import made its field text returns as text', async () => {
  const owner = await portal.member(await portal.account())
  const byEmail = { typeCasting: true, dedupColumns: ['Email'] }
  await importAtOnce(portal, owner, 'Email,Amount,At\na@x,1.50,2024-01-01\nb@x,2,2024-01-02\n', byEmail)
  const second = await importAtOnce(portal, owner, 'Email,Amount,At\na@x,7,2024-02-01\nb@x,8,2024-02-02\n', byEmail)
  const widening = { ...byEmail, onMismatch: 'text' as const }
  const third = await importAtOnce(portal, owner, 'Email,Amount,At\na@x,none,2024-03-01T10:00:00Z\n', widening)
  for (const { _id } of [second, third]) {
    await owner.post(`${imports}/${_id}/undo`)
    await runUndoOf(portal, owner, _id)
  }
  const left = (await contactsOf(owner)).map(({ Amount, At }) => [Amount, At])
  expect(left).toEqual([
    ['1.5', '2024-01-01T00:00:00.000Z'],
    ['2', '2024-01-02T00:00:00.000Z'],
  ])
})
