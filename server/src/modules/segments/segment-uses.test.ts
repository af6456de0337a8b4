import type { SavedFilter } from '@portico/contract/saved-filters'
import type { Segment, SegmentEntry } from '@portico/contract/segments'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron } from '#test/resources/crons.ts'
import { createDashboard, definition, pie } from '#test/resources/dashboards.ts'
import { createExport, exportDraft } from '#test/resources/exports.ts'
import { instructionFor, reportCron } from '#test/resources/reports.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/segments'
const filters = '/contact-service/v1/rdls'

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { City: 'string' }, [{ City: 'Paris' }])
  owner = await portal.member(account)
})

async function save(by: Member, name: string, stages: unknown[]): Promise<SavedFilter> {
  const answer = await by.post(filters, { name, aggregateQuery: JSON.stringify(stages) })
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<SavedFilter>()
}
const cities = (values: readonly string[]) => [{ $match: { City: { $in: values } } }]
const usesOf = async (by: Client, id: string) => {
  const one = (await by.get(`${path}/${id}`)).json<Segment>()
  const entry = (await by.get(path)).json<SegmentEntry[]>().find(({ _id }) => _id === id)
  expect(entry?.uses.toSorted((a, b) => a.kind.localeCompare(b.kind))).toEqual(
    one.uses.toSorted((a, b) => a.kind.localeCompare(b.kind)),
  )
  return one.usedBy.map(({ kind, name }) => `${kind} ${name}`).toSorted()
}

/** One item of each kind that names a segment. */
async function useEverywhere(id: string): Promise<void> {
  const stages = [{ $predefined: id }, { $predefined: id }]
  await save(owner, 'Within', stages)
  const aggregateQuery = JSON.stringify(stages)
  await createExport(owner, exportDraft(['City'], { name: 'People', aggregateQuery }))
  await addCron(owner, {
    name: 'Daily',
    instruction: { name: 'Daily export', delimiter: 'csv', exportFields: ['City'], aggregateQuery },
  })
  const chart = { ...pie('Cities'), filter: { ...pie('Cities').filter, predefined: id } }
  const dashboard = await createDashboard(owner, { definition: definition([{ id: 'a', cols: 12, chart }]) })
  const report = instructionFor(dashboard, { rdl: id })
  await addCron(owner, reportCron(report, { name: 'Weekly' }))
}
const everywhere = [
  'dashboard Overview',
  'export People',
  'export schedule Daily',
  'report schedule Weekly',
  'segment Within',
]

test('an item uses a segment that it names, and none whose id is only a value', async () => {
  const { _id } = await save(owner, 'Parisians', cities(['Paris']))
  const other = await save(owner, 'Others', [])
  await useEverywhere(_id)
  await save(owner, 'Values', [{ $predefined: other._id }, ...cities([_id])])
  expect(await usesOf(owner, _id)).toEqual(everywhere)
  expect(await usesOf(owner, other._id)).toEqual(['segment Values'])
  const [values] = (await owner.get(filters)).json<SavedFilter[]>().filter(({ name }) => name === 'Values')
  const change = { name: 'Values', aggregateQuery: JSON.stringify([{ $predefined: _id }]), version: 1 }
  expect(await owner.put(`${filters}/${values?._id}`, change)).toMatchObject({ status: 200 })
  expect(await usesOf(owner, other._id)).toEqual([])
  expect(await usesOf(owner, _id)).toEqual([...everywhere, 'segment Values'].toSorted())
})

test('saved items of earlier releases keep their uses', async () => {
  const { _id } = await save(owner, 'Parisians', cities(['Paris']))
  await useEverywhere(_id)
  await save(owner, 'Values', cities([_id]))
  const { pool } = portal.parts.database
  for (const table of ['saved_filters', 'crons', 'dashboard_versions'])
    await pool.query(`UPDATE portico.${table} SET named_filters = '{}'`)
  expect(await usesOf(owner, _id)).toHaveLength(1)
  const migration = await readFile(
    join(import.meta.dirname, '../../../migrations/control/0042-named-filters.sql'),
    'utf8',
  )
  await pool.query(migration.slice(migration.indexOf('UPDATE ')))
  expect(await usesOf(owner, _id)).toEqual(everywhere)
})

test('segments with long lists of ids are listed and opened', async () => {
  const { _id } = await save(owner, 'Parisians', cities(['Paris']))
  await save(owner, 'Within', [{ $predefined: _id }])
  // As the API would store them, which takes longer.
  await portal.parts.database.pool.query(
    `INSERT INTO portico.saved_filters (id, account_id, name, name_key, aggregate_query, show_in_subaccounts, creator, created_at, updated_at)
     SELECT gen_random_uuid(), account_id, 'Long ' || n, 'long ' || n, '[{"$match":{"City":{"$in":["' ||
       (SELECT string_agg(gen_random_uuid()::text, '","') FROM generate_series(1, 18500) WHERE n > 0) || '"]}}}]',
       false, creator, now(), now()
     FROM portico.saved_filters, generate_series(1, 80) n WHERE id = $1`,
    [_id],
  )
  const listed = await owner.get(path)
  expect(listed).toMatchObject({ status: 200 })
  expect(listed.json<SegmentEntry[]>().filter(({ aggregateQuery }) => aggregateQuery === null)).toHaveLength(80)
  expect(await usesOf(owner, _id)).toEqual(['segment Within'])
})
