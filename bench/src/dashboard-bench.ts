import pg from 'pg'
import { type Ask, openAsk } from './ask.ts'
import { type BenchCell, dashboardCells } from './dashboard-cells.ts'
import type { Portal } from './portal.ts'
import type { Measurement } from './report.ts'
import { buildIndexes, type SearchData } from './search-data.ts'
import { median, quantile, timed } from './timing.ts'

/** Cells that the browser requests concurrently. */
const atOnce = 4
const openings = 7
const openingsAgain = 50
const people = 10
const dashboards = 3
const secondsInAll = 60
const secondsBetweenChanges = 5

type Dashboard = { _id: string; version: number }
type Answer = { rows: unknown[]; kpi?: { value: number } }

/**
 * Measures a dashboard of twelve cells: opening it for the first time, opening it again, and ten people who change a
 * dropdown, without and with an index on its field.
 */
export async function benchDashboard(portal: Portal, data: SearchData): Promise<Measurement[]> {
  const cells = dashboardCells(data)
  const asks = Array.from({ length: cells.length }, () => openAsk(portal))
  const clients = Array.from(
    { length: atOnce },
    () => new pg.Client({ connectionString: portal.databaseUrl, options: '-c timezone=UTC' }),
  )
  await Promise.all(clients.map((client) => client.connect()))
  try {
    const dashboard = await createDashboard(portal, 'Measured', cells)
    for (const cell of cells) await requireSame(asks[0], clients[0], dashboard, cell)
    const first = await measureFirst({ asks: asks.slice(0, atOnce), clients }, dashboard, cells)
    const again = await measureAgain(asks, dashboard, cells)
    const scanning = await measurePeople(portal, cells, { first: 1, name: 'change a dropdown' })
    await buildIndexes(portal, ['Age'])
    const indexed = await measurePeople(portal, cells, { first: 1 + dashboards, name: 'change one with an index' })
    return [first, again, scanning, indexed]
  } finally {
    for (const ask of asks) ask.close()
    await Promise.all(clients.map((client) => client.end()))
  }
}

/** Creates a dashboard of these cells, each for contacts with a score of at least `least`. */
async function createDashboard(
  portal: Portal,
  name: string,
  cells: readonly BenchCell[],
  least = 0,
): Promise<Dashboard> {
  const layout = cells.map(({ id, chart }) => [
    { id, cols: 12, chart: least === 0 ? chart : withLeastScore(chart, least) },
  ])
  const sharedWith = { paids: 'all', aids: [portal.account], users: 'all' }
  const definition = JSON.stringify({ layout })
  return portal.post('/contact-service/v1/dashboards', { name, tags: ['score'], sharedWith, definition })
}

function withLeastScore(chart: object, least: number): object {
  const { filter } = chart as { filter: { standard: object[] } }
  return { ...chart, filter: { ...filter, standard: [{ $match: { Score: { $gte: least } } }, ...filter.standard] } }
}

const askCell = (ask: Ask, { _id, version }: Dashboard, { id }: BenchCell, more: object): Promise<Answer> =>
  ask.json(`/contact-service/v1/dashboards/${_id}/cells/${id}`, { version, ...more })

/** Fails unless the portal and the hand-written statements return the same number of rows, or the same number. */
async function requireSame(
  ask: Ask | undefined,
  client: pg.Client | undefined,
  of: Dashboard,
  cell: BenchCell,
): Promise<void> {
  if (!ask || !client) throw new Error('there is no connection')
  const { rows, kpi } = await askCell(ask, of, cell, {})
  const found = (await client.query<{ count: string }>(cell.sql[0] ?? '')).rows
  const [portal, sql] = kpi ? [kpi.value, Number(found[0]?.count)] : [rows.length, found.length]
  if (portal !== sql || portal === 0) throw new Error(`${cell.id}: ${portal} of the portal, ${sql} of SQL`)
}

/** Works through the list with all workers concurrently. */
async function share<T, W>(list: readonly T[], workers: readonly W[], work: (item: T, worker: W) => Promise<unknown>) {
  const left = list.values()
  await Promise.all(
    workers.map(async (worker) => {
      for (const item of left) await work(item, worker)
    }),
  )
}

type Sides = { asks: Ask[]; clients: pg.Client[] }

async function measureFirst(
  { asks, clients }: Sides,
  of: Dashboard,
  cells: readonly BenchCell[],
): Promise<Measurement> {
  const times = { portal: [] as number[], sql: [] as number[] }
  for (let round = -1; round < openings; round++) {
    const portal = await timed(() => share(cells, asks, (cell, ask) => askCell(ask, of, cell, { refresh: true })))
    const sql = await timed(() =>
      share(cells, clients, async (cell, client) => {
        for (const statement of cell.sql) await client.query(statement)
      }),
    )
    // The first round is a warm-up.
    if (round < 0) continue
    times.portal.push(portal)
    times.sql.push(sql)
  }
  const ratios = times.portal.map((time, round) => time / (times.sql[round] ?? NaN))
  return {
    work: `dashboard: first opening, ${cells.length} cells, ${atOnce} at once`,
    milliseconds: median(times.portal),
    reference: { name: `SQL over ${atOnce} connections`, milliseconds: median(times.sql) },
    noise: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    target: { ratio: 1.2 },
  }
}

async function measureAgain(asks: readonly Ask[], of: Dashboard, cells: readonly BenchCell[]): Promise<Measurement> {
  const times: number[] = []
  for (let round = -5; round < openingsAgain; round++) {
    await share(cells, asks, async (cell, ask) => {
      const time = await timed(() => askCell(ask, of, cell, {}))
      // The first rounds are a warm-up of twelve connections and the compiler.
      if (round >= 0) times.push(time)
    })
  }
  return withinMeasurement(`dashboard: opening again, ${cells.length} at once, 95 of 100 cells within`, times, 30)
}

const withinMeasurement = (work: string, times: readonly number[], limit: number): Measurement => ({
  work,
  milliseconds: quantile(times, 0.95),
  reference: { name: 'allowed', milliseconds: limit },
  target: { ratio: 1 },
  comparison: { name: 'median', milliseconds: median(times) },
})

/**
 * Ten people use three dashboards for a minute; each changes the ages every five seconds. Measured from the change on.
 * The dashboards are numbered from `first`: none shares a filter with another one.
 */
async function measurePeople(
  portal: Portal,
  cells: readonly BenchCell[],
  { first, name }: { first: number; name: string },
): Promise<Measurement> {
  const made: Dashboard[] = []
  for (let number = first; number < first + dashboards; number++) {
    made.push(await createDashboard(portal, `Dashboard ${number}`, cells, number))
  }
  const times: number[] = []
  const start = performance.now() + 1000
  const person = async (number: number): Promise<void> => {
    const of = made[number % made.length]
    if (!of) return
    const token = await portal.signInAgain()
    const asks = Array.from({ length: atOnce }, () => openAsk({ port: portal.port, token }))
    for (let turn = 0; turn < secondsInAll / secondsBetweenChanges; turn++) {
      const due = start + 1000 * (turn * secondsBetweenChanges + (number * secondsBetweenChanges) / people)
      // A person waits for the results of their request.
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
      const ages = [18 + ((turn * people + number) % 70), 18 + ((turn * 7 + number * 3) % 69)]
      const choices = [{ cell: 'ages', include: [...new Set(ages)] }]
      const changed = performance.now()
      await share(cells, asks, async (cell, ask) => {
        await askCell(ask, of, cell, { choices })
        times.push(performance.now() - changed)
      })
    }
    for (const ask of asks) ask.close()
  }
  portal.memory.reset()
  await Promise.all(Array.from({ length: people }, (_value, number) => person(number)))
  console.log(`${people} people, ${secondsInAll} s: ${times.length} cells, no error.`)
  return {
    ...withinMeasurement(`dashboard: ${people} people ${name}, 95 of 100 cells within`, times, 1000),
    peakBytes: portal.memory.peakBytes(),
  }
}
