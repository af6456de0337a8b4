import type { FieldDetails, FieldEntry } from '@portico/contract/fields'
import { foldName } from '@portico/domain/names'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SoughtFields } from '#platform/rows/sought-fields.ts'
import { savedPipelines } from '#saved-filters'
import { grant, identityOf } from '#test/resources/access.ts'
import { addCron } from '#test/resources/crons.ts'
import { createDashboard, dashboardsPath, definition, saveDashboard } from '#test/resources/dashboards.ts'
import { createExport, endedExport, exportDraft } from '#test/resources/exports.ts'
import { fieldUses } from '#test/resources/import-undos.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { addAccess } from '#test/resources/remote-accesses.ts'

// A field is renamed wherever it is stored: old names live on in the audit log and in what happened before alone.

const service = '/contact-service/v1'
const old = 'Home Zone'
const fresh = 'Home Region'
const file = `Email,${old},Score,Note\na@x,North,3,x\nb@x,South,2000,y\n`

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const fieldsOf = async (member: Member) => (await member.get(`${service}/fields/details`)).json<FieldEntry[]>()
const idOf = async (member: Member, name: string) =>
  (await fieldsOf(member)).find((field) => field.name === name)?._id ?? ''
const rename = async (member: Member, from: string, to: string, more: object = {}) =>
  member.put(`${service}/fields/${await idOf(member, from)}`, { name: to, ...more })
const aMember = async () => {
  const member = await portal.member(await portal.account())
  await importFile(portal, member, file, { typeCasting: true, dedupColumns: [old] })
  return member
}
const matchOld = [{ $match: { [old]: 'North' } }]
const grouped = [{ $group: { _id: { [old]: `$${old}` }, 'sum of Score': { $sum: '$Score' } } }, { $sort: { [old]: 1 } }]

/** Everything that an account can store under the name of a field. */
async function storeEverywhere(member: Member): Promise<{ dashboard: string; limited: Member }> {
  const { pool } = portal.parts.database
  const column = { name: 'Share', expression: `{{sum of Score}} / {{${old}}}`, fix: 'none', position: `b::${old}` }
  await member.post(`${service}/rdls`, { name: 'Northerners', aggregateQuery: JSON.stringify(matchOld) })
  const cells = (standard: object[]) =>
    definition([
      {
        cols: 12,
        chart: {
          type: 'CalculatedTable',
          title: 'A',
          filter: { standard, sort: { [old]: 1 } },
          calculatedColumns: [column],
          portico: { display: { running: { [old]: { kind: 'cumulative' } } } },
        },
      },
      { cols: 12, chart: { type: 'Table', title: 'B', filter: { standard: matchOld, columns: [old, 'Note'] } } },
    ])
  const dashboard = await createDashboard(member, { definition: cells(grouped) })
  await saveDashboard(member, dashboard._id, { definition: cells([...grouped, { $limit: 5 }]) })
  await addCron(member, {
    instruction: {
      name: 'Daily export',
      delimiter: 'csv',
      exportFields: [old, 'Note'],
      aggregateQuery: JSON.stringify(matchOld),
    },
  })
  await addAccess(member, {
    filter: `{"${old}":"{{${old}}}"}`,
    publicColumns: `"${old}" Note`,
    domainOrIp: 'shop.example.com',
  })
  const exported = exportDraft([old, 'Note'], { aggregateQuery: JSON.stringify(matchOld) })
  await endedExport(member, (await createExport(member, exported))._id)
  await member.post(`${service}/indexes`, { key: [[old, 1]] })
  const defaults = { purlColumns: [old], dedupColumns: [old], notificationEmails: [] }
  expect(await member.put(`${service}/configuration`, defaults)).toMatchObject({ status: 200 })
  await importFile(portal, member, 'Zone,Email\nEast,d@x\n', { columnMapping: { Zone: old }, dedupColumns: [old] })
  const limited = await portal.member(member.account)
  await pool.query('UPDATE portico.identities SET row_rule = $2 WHERE id = $1', [
    await identityOf(portal, limited),
    JSON.stringify(matchOld),
  ])
  await grant(portal, await identityOf(portal, limited), {
    actions: ['contact-service::exports::post', 'contact-service::offers::get'],
    conditions: [`body::exportFields::nin::Secret,${old}`, `query::select::neq::${old}`],
  })
  return { dashboard: dashboard._id, limited }
}

/** Where an old name may stay: in the history, in what is known of imported files, and in headers of exported ones. */
const past = [
  'audit_log.',
  'imports.header',
  'imports.plan',
  'dashboard_versions.changes',
  'pgboss.',
  'imports.acts_as',
  'exports.fields',
]

/** The columns in which a text is stored, of the account and of the portal. */
async function placesOf(account: number, text: string): Promise<string[]> {
  const { pool } = portal.parts.database
  const { rows: columns } = await pool.query<{ schema: string; table: string; column: string }>(
    `SELECT table_schema AS schema, table_name AS "table", column_name AS "column" FROM information_schema.columns
     WHERE table_schema IN ('portico', $1) AND data_type IN ('text', 'jsonb', 'json', 'ARRAY')`,
    [`account_${account}`],
  )
  const found: string[] = []
  for (const { schema, table, column } of columns) {
    const { rows } = await pool.query(
      `SELECT 1 FROM ${schema}."${table}" WHERE position(lower($1) IN lower("${column}"::text)) > 0 LIMIT 1`,
      [text],
    )
    if (rows.length > 0) found.push(`${table}.${column}`)
  }
  return found.filter((place) => !past.some((start) => place.startsWith(start))).toSorted()
}

test('a rename updates everything that names the field and keeps its values', async () => {
  const member = await aMember()
  const { dashboard, limited } = await storeEverywhere(member)
  const before = await placesOf(member.account, old)
  expect(before).toEqual([
    'crons.instruction',
    'dashboard_versions.definition',
    'exports.acts_as',
    'exports.filter',
    'fields.name',
    'fields.name_key',
    'identities.row_rule',
    'import_defaults.dedup_columns',
    'import_defaults.purl_columns',
    'imports.column_mapping',
    'imports.dedup_columns',
    'indexes.name',
    'indexes.name_key',
    'policies.conditions',
    'remote_accesses.acts_as',
    'remote_accesses.authentication_columns',
    'remote_accesses.public_columns',
    'saved_filter_versions.aggregate_query',
    'saved_filters.aggregate_query',
  ])
  const id = await idOf(member, old)
  const { uses } = (await member.get(`${service}/fields/${id}/details`)).json<FieldDetails>()
  expect(new Set(uses.map(({ kind }) => kind))).toEqual(
    new Set([
      'filter',
      'dashboard',
      'cron',
      'remote access',
      'index',
      'import',
      'import defaults',
      'row rule',
      'policy',
    ]),
  )

  expect(await rename(member, old, fresh)).toMatchObject({ status: 200, body: { name: fresh, version: 2 } })

  expect(await placesOf(member.account, old)).toEqual([])
  expect(await placesOf(member.account, fresh)).toEqual(before)
  expect((await contactsOf(member)).map((contact) => contact[fresh])).toEqual(['North', 'South', 'East'])
  const { body } = await member.get(`${dashboardsPath}/${dashboard}`)
  expect(body).toMatchObject({ version: 3 })
  expect(JSON.stringify(body)).toContain(`{{sum of Score}} / {{${fresh}}}`)
  expect((await contactsOf(limited)).map((contact) => contact[fresh])).toEqual(['North'])
  const [saved] = (await member.get(`${service}/rdls`)).json<{ _id: string }[]>()
  const find = encodeURIComponent(JSON.stringify([{ $predefined: saved?._id }]))
  expect((await member.get(`${service}/offers?find=${find}&count=`)).body).toEqual({ count: 1 })
  // The rule of the imports is the new name, so the contact is found again.
  await importFile(portal, member, `${fresh},Note\nNorth,changed\n`, { dedupColumns: [fresh] })
  expect((await contactsOf(member)).map(({ Note }) => Note)).toEqual(['changed', 'y', undefined])
  const { rows } = await portal.parts.database.pool.query(
    `SELECT subject, details FROM portico.audit_log WHERE action = 'field changed' AND account_id = $1`,
    [member.account],
  )
  expect(rows).toMatchObject([
    { subject: fresh, details: { name: { old, new: fresh }, usedIn: { filter: 1, cron: 1 } } },
  ])
})

test('a field can be renamed while dashboards exceed the size that a request can read', async () => {
  const { pool } = portal.parts.database
  const member = await aMember()
  const cell = { cols: 12, chart: { type: 'Table', title: 'A', filter: { standard: matchOld, columns: [old] } } }
  const { _id } = await createDashboard(member, { definition: definition([cell]) })
  const other = await createDashboard(member, { name: 'Other' })
  const text = { cols: 12, chart: { type: 'Text', title: 'Notes', portico: { text: 'word '.repeat(38_000) } } }
  // 60 MB, of which none names the field.
  await pool.query(
    `INSERT INTO portico.dashboard_versions SELECT dashboard_id, number, name, tags, $2, saved_by, saved_at, changes, holder
     FROM portico.dashboard_versions, generate_series(2, 320) AS number WHERE dashboard_id = $1 AND version = 1`,
    [other._id, definition([text])],
  )
  await pool.query('UPDATE portico.dashboards SET version = 320 WHERE id = $1', [other._id])
  expect(await rename(member, old, fresh)).toMatchObject({ status: 200 })
  const { definition: renamed } = (await member.get(`${dashboardsPath}/${_id}`)).json<{ definition: string }>()
  expect(renamed).toContain(fresh)
  expect(renamed).not.toContain(old)
})

test('a search for all fields at once finds what a search for each of them finds', async () => {
  const member = await aMember()
  await storeEverywhere(member)
  const saved = (
    await member.post(`${service}/rdls`, { name: 'Groups', aggregateQuery: JSON.stringify(grouped) })
  ).json<{ _id: string }>()
  const stages = [{ $predefined: saved._id }, { $sort: { 'sum of Score': 1 } }]
  await member.post(`${service}/rdls`, { name: 'Sorted', aggregateQuery: JSON.stringify(stages) })
  const { db } = portal.parts.database
  const names = (await fieldsOf(member)).map(({ name }) => name)
  const stored = savedPipelines(db, member.account)
  const sought = new SoughtFields(names, stored)
  const together: string[] = []
  const alone: string[] = []
  for (const { kind, find, findEach } of fieldUses) {
    for await (const { name, fields } of findEach(db, member.account, sought))
      for (const field of names) if (fields.has(foldName(field))) together.push(`${kind} ${name}: ${field}`)
    for (const from of names)
      for (const { name } of await find(db, member.account, { from, to: '\u0001', ...stored }))
        alone.push(`${kind} ${name}: ${from}`)
  }
  expect(together.toSorted()).toEqual(alone.toSorted())
  expect(together).toContain('filter Sorted: Score')
  const kinds = new Set(together.filter((use) => use.endsWith(old)).map((use) => use.split(' ')[0]))
  expect(kinds).toEqual(new Set(['cron', 'dashboard', 'filter', 'import', 'index', 'policy', 'remote', 'row']))
})
