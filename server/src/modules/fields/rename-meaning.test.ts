import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCron } from '#test/resources/crons.ts'
import { createDashboard, dashboardsPath, definition } from '#test/resources/dashboards.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Filters, crons and dashboards mean the same with a new name of a field, or the field keeps its name.

const service = '/contact-service/v1'
const file = 'Email,City,Notes,Salary\na@x,Bern,x,10\nb@x,Oslo,y,20\nc@x,Bern,y,30\nd@x,,x,5\n'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const ownerOf = async () => {
  const owner = await portal.member(await portal.account())
  await importFile(portal, owner, file, { typeCasting: true })
  return owner
}
const idOf = async (owner: Member, name: string) => {
  const fields = (await owner.get(`${service}/fields/details`)).json<FieldEntry[]>()
  return fields.find((field) => field.name === name)?._id ?? ''
}
const rename = async (owner: Member, from: string, to: string) =>
  owner.put(`${service}/fields/${await idOf(owner, from)}`, { name: to })
const save = async (owner: Member, name: string, stages: object[]) =>
  owner.post(`${service}/rdls`, { name, aggregateQuery: JSON.stringify(stages) })
const saved = async (owner: Member, name: string, stages: object[]) =>
  (await save(owner, name, stages)).json<{ _id: string }>()._id
const textOf = async (owner: Member, id: string) =>
  (await owner.get(`${service}/rdls/${id}`)).json<{ aggregateQuery: string }>().aggregateQuery
const rowsOf = async (owner: Member, stages: object[]) => {
  const { status, body } = await owner.get(
    `${service}/offers?aggregate=${encodeURIComponent(JSON.stringify(stages))}&limit=1000`,
  )
  return status === 200
    ? (body as object[]).map((row) => JSON.stringify(Object.values(row))).toSorted()
    : `${status} ${JSON.stringify(body)}`
}
const inTheWay = (name: string) => ({
  status: 409,
  body: {
    error: { code: 'in_use', message: expect.stringContaining(`"${name}" would mean something else`) as string },
  },
})

test('a filter that computes a column with the new name blocks a rename', async () => {
  const owner = await ownerOf()
  const stages = [
    { $addFields: { Full: { $concat: ['$Email', '!'] } } },
    { $match: { Notes: { $in: ['x'] } } },
    { $group: { _id: '$Full', n: { $sum: 1 } } },
  ]
  const id = await saved(owner, 'Full names', stages)
  expect(await rename(owner, 'Notes', 'Full')).toMatchObject(inTheWay('Full names'))
  expect(await textOf(owner, id)).toBe(JSON.stringify(stages))
})

test('a rename updates a column computed by a saved filter, and filters that use it', async () => {
  const owner = await ownerOf()
  const inner = await saved(owner, 'Marked cities', [{ $addFields: { City: { $concat: ['x-', '$City'] } } }])
  const outer = await saved(owner, 'From Bern', [{ $predefined: inner }, { $match: { City: 'x-Bern' } }])
  const before = await rowsOf(owner, [{ $predefined: outer }])
  expect(before).toHaveLength(2)
  expect(await rename(owner, 'City', 'Town')).toMatchObject({ status: 200 })
  expect(await rowsOf(owner, [{ $predefined: outer }])).toEqual(before)
})

test('a rename updates crons and dashboards that use group columns of a saved filter', async () => {
  const owner = await ownerOf()
  const groups = await saved(owner, 'Groups', [
    { $group: { _id: { City: '$City' }, 'sum of Salary': { $sum: '$Salary' } } },
  ])
  const aggregateQuery = JSON.stringify([{ $predefined: groups }])
  const instruction = {
    name: 'Sums of cities',
    delimiter: 'csv',
    exportFields: ['City', 'sum of Salary'],
    aggregateQuery,
  }
  await addCron(owner, { instruction })
  const filter = { standard: [], predefined: groups, columns: ['City', 'sum of Salary'] }
  const board = await createDashboard(owner, {
    definition: definition([{ cols: 12, chart: { type: 'Table', title: 'A', filter } }]),
  })
  expect(await rename(owner, 'Salary', 'Pay')).toMatchObject({ status: 200 })
  const { rows } = await portal.parts.database.pool.query<{ instruction: object }>(
    'SELECT instruction FROM portico.crons WHERE account_id = $1',
    [owner.account],
  )
  expect(rows[0]?.instruction).toMatchObject({ exportFields: ['City', 'sum of Pay'], aggregateQuery })
  expect(JSON.stringify((await owner.get(`${dashboardsPath}/${board._id}`)).body)).toContain('sum of Pay')
})

/** Numbers that look random, and are the same in every run. */
function chooser(seed: number) {
  let state = seed
  return <T>(of: readonly T[]): T => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return of[Math.floor((state / 2_147_483_648) * of.length)] as T
  }
}

function randomStages(choose: ReturnType<typeof chooser>, filters: readonly string[]): object[] {
  const field = () => choose(['City', 'City', 'Notes', 'Email'])
  const column = () => choose(['City', 'Town', 'Extra', 'max of City'])
  const makers = [
    () => ({ $match: { [field()]: { $ne: choose(['Bern', 'x', 'x-Bern']) } } }),
    () => ({ $match: { [column()]: { $in: ['Bern', 'Oslo', 'x-Bern'] } } }),
    () => ({ $addFields: { [column()]: { $concat: ['x-', `$${field()}`] } } }),
    () => ({ $group: { _id: { [column()]: `$${field()}` }, 'max of City': { $max: '$City' }, n: { $sum: 1 } } }),
    () => ({ $group: { _id: { City: '$City', Notes: '$Notes' }, Town: { $sum: 1 } } }),
    () => ({ $project: { [field()]: 1, [choose(['Town', 'Extra'])]: { $concat: ['y', `$${field()}`] } } }),
    () => ({ $project: { [field()]: 0 } }),
    () => ({ $sort: { [choose(['City', 'Town', 'Email'])]: 1 } }),
    () => ({ $predefined: choose(filters) }),
  ]
  const possible = filters.length > 0 ? makers : makers.slice(0, -1)
  return Array.from({ length: choose([1, 2, 3]) }, () => choose(possible)())
}

test('random filters return the same rows after a rename and are unchanged after renaming back, or block it', async () => {
  const owner = await ownerOf()
  const id = await idOf(owner, 'City')
  const called = (name: string) => owner.put(`${service}/fields/${id}`, { name })
  const choose = chooser(20_261_127)
  const counts = { followed: 0, refused: 0 }
  for (let round = 0; round < 25; round++) {
    const filters: string[] = []
    for (let tries = 0; tries < 8 && filters.length < 2; tries++) {
      const { status, body } = await save(owner, `Random ${filters.length}`, randomStages(choose, filters))
      if (status === 201) filters.push((body as { _id: string })._id)
    }
    const read = async () => ({
      texts: await Promise.all(filters.map((filter) => textOf(owner, filter))),
      rows: await Promise.all(filters.map((filter) => rowsOf(owner, [{ $predefined: filter }]))),
    })
    const before = await read()
    const { status } = await called('Town')
    expect([200, 409]).toContain(status)
    expect((await read()).rows).toEqual(before.rows)
    const back = status === 200 ? (await called('City')).status : 200
    expect(back).toBe(200)
    expect(await read()).toEqual(before)
    counts[status === 200 ? 'followed' : 'refused']++
    for (const filter of filters.toReversed()) await owner.delete(`${service}/rdls/${filter}`)
  }
  expect(counts.followed).toBeGreaterThan(2)
  expect(counts.refused).toBeGreaterThan(2)
}, 300_000)
