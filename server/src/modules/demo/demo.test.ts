import { setTimeout as pause } from 'node:timers/promises'
import type { Field, Offer } from '@portico/contract/contacts'
import type { CellAnswer, Dashboard } from '@portico/contract/dashboards'
import { type CellKind, cellKinds, kpiTemplateOf, kpiTemplates } from '@portico/contract/dashboards/cell-kinds'
import { partsOf } from '@portico/domain/scheduler/cron-parts'
import type { Cron } from '@portico/contract/scheduler/crons'
import type { Schedule, ScheduleDetails } from '@portico/contract/scheduler/schedules'
import type { Definition } from '@portico/contract/dashboards/definition'
import type { Export } from '@portico/contract/exports'
import type { AccountEntry, AccountId } from '@portico/contract/accounts'
import type { Identity } from '@portico/contract/identities'
import type { Import } from '@portico/contract/imports'
import type { Group, Policy } from '@portico/contract/policies'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootstrap } from '#sign-in'
import { type DemoFigures, demoFiguresOf } from '#test/oracles/demo-figures.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { demoAccounts, loadDemo } from './demo.service.ts'

const never = new AbortController().signal

const names = demoAccounts.map(({ name }) => name)

async function accountsOf(portal: TestPortal): Promise<Map<string, AccountId>> {
  const admin = await portal.powerAdmin()
  const entries = (await admin.get('/identity/v1/accounts')).json<AccountEntry[]>()
  return new Map(entries.map(({ Key, Value }) => [Value, Key]))
}

describe('a new installation', () => {
  let portal: TestPortal
  let accounts: Map<string, AccountId>
  let before: DemoFigures[]

  const idOf = (name: string): AccountId => accounts.get(name) ?? 0
  const allFigures = () => Promise.all(names.map((name) => demoFiguresOf(portal, idOf(name))))
  const query = async <Row extends object>(text: (schema: string) => string): Promise<Row[]> =>
    (
      await Promise.all(
        names.map(async (name) => (await portal.parts.database.pool.query<Row>(text(`account_${idOf(name)}`))).rows),
      )
    ).flat()

  /** Stops the load as soon as the condition holds. */
  async function loadUntil(isFarEnough: () => Promise<boolean>): Promise<void> {
    const stopping = new AbortController()
    const loading = new AbortController()
    const load = async () => {
      await expect(loadDemo(portal.parts, stopping.signal)).rejects.toThrow('operation was aborted')
    }
    const stop = async () => {
      while (!(await isFarEnough())) await pause(5, undefined, { signal: loading.signal })
      stopping.abort()
    }
    await Promise.all([load().finally(() => loading.abort()), stop()])
  }

  beforeAll(async () => {
    portal = await startPortal()
    await bootstrap(portal.parts.database, { ...portal.config, adminPassword: 'long enough' })
    await portal.startWorker()
    const { pool } = portal.parts.database
    const rowsOf = async (text: string) => (await pool.query<{ n: number }>(text)).rows[0]?.n ?? 0
    const hasTable = (name: string) => rowsOf(`SELECT (to_regclass('${name}') IS NOT NULL)::int AS n`)
    // Interrupted twice: between two imports, and in the middle of the events.
    await loadUntil(
      async () =>
        (await hasTable('account_3.imports')) > 0 &&
        (await rowsOf('SELECT count(*)::int AS n FROM account_3.imports')) > 0,
    )
    await loadUntil(async () => (await rowsOf('SELECT count(*)::int AS n FROM account_3.events')) > 0)
    await loadDemo(portal.parts, never)
    accounts = await accountsOf(portal)
    before = await allFigures()
  })
  afterAll(() => portal.close())

  const member = (name: string): Promise<Member> => portal.member(idOf(name))

  test('gets two parents with two sub-accounts each, in their time zones', async () => {
    const { rows } = await portal.parts.database.pool.query<{ name: string; parent: string; time_zone: string }>(
      `SELECT a.name, p.name AS parent, a.time_zone FROM portico.accounts AS a
       LEFT JOIN portico.accounts AS p ON p.id = a.parent_id ORDER BY a.id`,
    )
    expect(rows).toEqual([
      { name: 'Portico', parent: null, time_zone: 'UTC' },
      { name: 'Northwind Outdoor Group', parent: null, time_zone: 'America/Denver' },
      { name: 'Northwind US', parent: 'Northwind Outdoor Group', time_zone: 'America/New_York' },
      { name: 'Northwind Europe', parent: 'Northwind Outdoor Group', time_zone: 'Europe/Berlin' },
      { name: 'Harbor Giving Foundation', parent: null, time_zone: 'America/New_York' },
      { name: 'Harbor Annual Fund', parent: 'Harbor Giving Foundation', time_zone: 'America/New_York' },
      { name: 'Harbor Events', parent: 'Harbor Giving Foundation', time_zone: 'America/Los_Angeles' },
    ])
  })

  test('gets its people even though the load was stopped twice', () => {
    expect(before.map(({ people }) => people)).toEqual(demoAccounts.map(({ people }) => people.length))
  })

  test('gets 20,000 contacts, each once even though the load was stopped twice', async () => {
    expect(before.map(({ contacts }) => contacts)).toEqual(demoAccounts.map(({ population }) => population.size))
    expect(before.reduce((sum, { contacts }) => sum + contacts, 0)).toBe(20_000)
    expect(before.map(({ imports }) => imports)).toEqual(demoAccounts.map((demo) => demo.imports.length))
    // By email, name, city and segment, if the account has these fields.
    for (const { indexes, filters } of before) {
      expect(indexes).toBeGreaterThanOrEqual(3)
      expect(filters).toBeGreaterThanOrEqual(1)
    }
  })

  test('gets its contacts through imports that account for each row', async () => {
    const us = await member('Northwind US')
    const imports = (await us.get('/contact-service/v1/imports')).json<Import[]>()
    expect(imports).toMatchObject([
      { name: 'Spring catalog update', creator: 'demo', status: 'completed', createdRecords: 400 },
      { name: 'Retail store customers', createdRecords: 2600, setAsideRecords: 9 },
      { name: 'Web store customers', createdRecords: 6000, setAsideRecords: 0 },
    ])
    expect(imports[0]?.updatedRecords).toBeGreaterThan(700)
    expect(imports[0]?.unchangedRecords).toBeGreaterThan(100)
  })

  test('gets an import with cells set aside and an undone import', async () => {
    const fund = await member('Harbor Annual Fund')
    const imports = (await fund.get('/contact-service/v1/imports')).json<Import[]>()
    const [mistake, pledges] = imports
    expect(pledges).toMatchObject({ name: 'Pledges of this quarter', status: 'completed', setAsideRecords: 0 })
    expect(pledges?.setAsideCells).toBeGreaterThan(20)
    expect(mistake).toMatchObject({
      name: 'Pledges of last quarter, by mistake',
      createdRecords: 0,
      undo: { status: 'completed', by: 'demo' },
    })
    expect(mistake?.updatedRecords).toBeGreaterThan(20)
  })

  test('gets fields of the intended types', async () => {
    const us = await member('Northwind US')
    const fields = (await us.get('/contact-service/v1/fields')).json<Field[]>()
    const typed = fields.filter(({ type }) => type !== 'string').map(({ name, type }) => `${name}: ${type}`)
    expect(typed).toEqual([
      'Birth Date: day',
      'Lead Score: number',
      'Lifetime Value: number',
      'Opted In: boolean',
      'Last Purchase: day',
      'Latitude: number',
      'Longitude: number',
      'Store Visits: number',
    ])
    const [contact] = (await us.get('/contact-service/v1/offers?limit=1')).json<Offer[]>()
    expect(contact).toMatchObject({ Country: 'United States', Email: expect.stringContaining('@') })
  })

  test('gets unique PURLs, and none where imports generate none', async () => {
    const rows = await query<{ purls: number; different: number }>(
      (schema) => `SELECT count(base_purl)::int AS purls,
        count(DISTINCT (base_purl, purl_number)) FILTER (WHERE base_purl IS NOT NULL)::int AS different
        FROM ${schema}.contact_keys`,
    )
    const expected = demoAccounts.map(({ name, population }) => (name === 'Harbor Events' ? 0 : population.size))
    expect(rows.map(({ purls }) => purls)).toEqual(expected)
    expect(rows.map(({ different }) => different)).toEqual(expected)
  })

  test('gets events of a third of the contacts: 3 to 12 each, within 120 days', async () => {
    const rows = await query<{ orphans: number; active: number; fewest: number; most: number; early: number }>(
      (schema) => `
        SELECT count(*) FILTER (WHERE c.id IS NULL)::int AS orphans, count(*)::int AS active,
          min(n)::int AS fewest, max(n)::int AS most, sum(early)::int AS early
        FROM (SELECT contact_id, count(*) AS n,
            count(*) FILTER (WHERE event_date NOT BETWEEN now() - interval '122 days' AND now()) AS early
          FROM ${schema}.events GROUP BY contact_id) AS e
        LEFT JOIN ${schema}.contacts AS c ON c.id = e.contact_id`,
    )
    for (const row of rows) expect(row).toMatchObject({ orphans: 0, fewest: 3, most: 12, early: 0 })
    const active = rows.reduce((sum, row) => sum + row.active, 0)
    expect(active / 20_000).toBeGreaterThan(0.28)
    expect(active / 20_000).toBeLessThan(0.4)
  })

  test('shows the events of a contact', async () => {
    const fund = await member('Harbor Annual Fund')
    const [row] = (
      await portal.parts.database.pool.query<{ id: string }>(
        `SELECT contact_id::text AS id FROM account_${fund.account}.events WHERE event_code = 'form_submit' LIMIT 1`,
      )
    ).rows
    const offer = (await fund.get(`/contact-service/v1/offers/${row?.id}`)).json<Offer & { events: object[] }>()
    expect(offer.events).toContainEqual(
      expect.objectContaining({ event_code: 'form_submit', app_code: 'web', is_trigger: true }),
    )
  })

  test('gets exports that complete', async () => {
    for (const { name, exports } of demoAccounts) {
      const its = await member(name)
      const all = async () => (await its.get('/contact-service/v1/exports')).json<Export[]>()
      const areCompleted = async () => (await all()).every(({ status }) => status === 'completed')
      await expect.poll(areCompleted, { timeout: 60_000 }).toBe(true)
      const found = await all()
      expect(found.map((one) => one.name)).toEqual(expect.arrayContaining(exports.map((one) => one.name)))
      for (const one of found) expect(one.processedRecords).toBeGreaterThan(0)
    }
  })

  test.each(demoAccounts)('gets dashboards whose cells all answer in $name', async ({ name, site }) => {
    const its = await member(name)
    const dashboards = (await its.get('/contact-service/v1/dashboards')).json<Dashboard[]>()
    const business = site === 'shop' ? 'Sales' : 'Giving'
    expect(dashboards.map((one) => one.name)).toEqual(['Behavior', business, 'Overview'].toSorted())
    for (const { _id: id, version, definition } of dashboards) {
      const { layout } = JSON.parse(definition) as Definition
      for (const { id: cell, chart } of layout.flat()) {
        const answer = await its.post(`/contact-service/v1/dashboards/${id}/cells/${cell}`, { version })
        expect({ title: chart?.title, status: answer.status }).toEqual({ title: chart?.title, status: 200 })
        const { rows, kpi } = answer.json<CellAnswer>()
        const isSilent = chart?.type === 'Text' || chart?.type === 'DatePicker'
        expect({ title: chart?.title, isEmpty: rows.length === 0 && (kpi?.value ?? 0) === 0 }).toEqual({
          title: chart?.title,
          isEmpty: isSilent,
        })
      }
    }
    const charts = dashboards.flatMap(({ definition }) => {
      const { layout } = JSON.parse(definition) as Definition
      return layout.flat().flatMap(({ chart }) => (chart ? [chart] : []))
    })
    expect(new Set(charts.map(({ type }) => type))).toEqual(new Set(cellKinds))
    const ofKind = (kind: CellKind) => charts.filter(({ type }) => type === kind)
    expect(new Set(ofKind('Pie').map(({ options }) => Boolean(options.pieHole)))).toEqual(new Set([true, false]))
    expect(new Set(ofKind('KPI').map(kpiTemplateOf))).toEqual(new Set(kpiTemplates))
    expect(ofKind('Dropdown').map(({ multipleSelect = false }) => multipleSelect)).toEqual([true, false])
  })

  test.each(demoAccounts)('gets crons of every period with their runs in $name', async ({ name }) => {
    const its = await member(name)
    const of = async (consumer: string) =>
      (await its.get(`/scheduler/v1/crons?consumerCode=${consumer}`)).json<Cron[]>()
    const [exports, reports] = [await of('EXPORT'), await of('BI')]
    const periods = [...exports, ...reports].map((cron) => partsOf(cron)?.period)
    expect(new Set(periods)).toEqual(new Set(['Once', 'Daily', 'Weekly', 'Monthly']))
    expect(exports.filter(({ terminated }) => terminated)).toHaveLength(1)
    const runs = (await its.get('/scheduler/v1/schedules?consumerCode=EXPORT')).json<Schedule[]>()
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['completed', 'terminated', 'waiting']))
    expect(new Set(runs.map(({ omission }) => omission))).toEqual(new Set([null, 'missed', 'skipped', 'overlapping']))
    const recovered = runs.find(({ recoveryCount, status }) => recoveryCount > 0 && status === 'completed')
    const { attempts } = (await its.get(`/scheduler/v1/schedules/${recovered?._id}`)).json<ScheduleDetails>()
    expect(attempts.map(({ status }) => status)).toEqual(['recovery', 'completed'])
    const once = exports.find((cron) => partsOf(cron)?.period === 'Once')
    expect(once).toMatchObject({ lastRun: { status: 'completed' }, nextRunAt: null })
  })

  test('marks a dashboard as a favorite of its author and of the first power admin', async () => {
    const { rows } = await portal.parts.database.pool.query<{ name: string; email: string; author: string }>(
      `SELECT d.name, p.email, a.email AS author FROM portico.dashboard_favourites AS f
       JOIN portico.dashboards AS d ON d.id = f.dashboard_id JOIN portico.persons AS p ON p.id = f.person_id
       JOIN portico.persons AS a ON a.id = d.author_id`,
    )
    expect(rows).toHaveLength(2 * demoAccounts.length)
    for (const { name, email, author } of rows) {
      expect(name).toBe('Overview')
      expect([author, portal.config.adminEmail]).toContain(email)
    }
  })

  test('gets policies, groups and people of every kind once, and sends no email to them', async () => {
    const us = await member('Northwind US')
    const policies = (await us.get('/identity/v1/policies')).json<Policy[]>()
    expect(policies.map(({ name }) => name)).toEqual(expect.arrayContaining(['Contacts: read', 'Loyalty lists as CSV']))
    expect(policies.map(({ name }) => name)).not.toContain('Short lists of donors')
    const groups = (await us.get('/identity/v1/groups')).json<Group[]>()
    expect(groups).toContainEqual(
      expect.objectContaining({ name: 'Northwind store managers', ownerPaid: idOf('Northwind Outdoor Group') }),
    )
    const people = (await us.get('/identity/v1/identities')).json<Identity[]>()
    const shop = people.find(({ email }) => email === 'service:Web shop')
    expect(shop).toMatchObject({
      hasApiAccess: true,
      cidr: '203.0.113.0/24',
      apiCredentials: [{}, { isActive: false }],
    })
    expect(new Set(people.map(({ status }) => status))).toEqual(new Set(['active', 'invited', 'disabled']))
    for (const { name, people: wanted } of demoAccounts) {
      const found = (await (await member(name)).get('/identity/v1/identities')).json<Identity[]>()
      expect(found.map(({ email }) => email)).toEqual(expect.arrayContaining(wanted.map(({ email }) => email)))
    }
    const { pool } = portal.parts.database
    const emailJobs = await pool.query(`SELECT FROM jobs.job WHERE name LIKE 'send-%'`)
    expect(emailJobs.rowCount).toBe(0)
    const defaults = await us.get('/contact-service/v1/configuration')
    expect(defaults).toMatchObject({ body: { dedupColumns: ['Email'], notificationEmails: [] } })
  })

  test('loads nothing a second time', async () => {
    expect(await loadDemo(portal.parts, never)).toBe('loaded')
    expect(await allFigures()).toEqual(before)
  })

  test('leaves the load to the process that is running it', async () => {
    const { pool } = portal.parts.database
    await pool.query(`UPDATE portico.demo SET state = 'loading', ended_at = NULL`)
    const both = await Promise.all([loadDemo(portal.parts, never), loadDemo(portal.parts, never)])
    expect(new Set(both)).toEqual(new Set(['loaded', null]))
    // Every step had been done before.
    expect(await allFigures()).toEqual(before)
  })

  // The events of Harbor have no PURLs.
  test.each(demoAccounts.slice(0, -1))('lets the sample site greet contacts of $name', async ({ name }) => {
    const answer = await (await member(name)).get('/contact-service/v1/remoteAccess/sample')
    const [origin = '', account, purl] = answer.json<{ url: string }>().url.split(/(?<=\d)\//)
    const offer = `/contact-service/v1/public/${account}/offers?purl=${purl}`
    expect(await portal.asking({ origin }).get(offer)).toHaveProperty('body.First Name')
  })

  test('has crons that run', async () => {
    const its = await member(demoAccounts[0]?.name ?? '')
    for (const consumer of ['EXPORT', 'BI']) {
      const crons = (await its.get(`/scheduler/v1/crons?consumerCode=${consumer}&terminated=false`)).json<Cron[]>()
      for (const { _id: id } of crons) {
        const run = (await its.post(`/scheduler/v1/crons/${id}/run`)).json<Schedule>()
        const status = async () => (await its.get(`/scheduler/v1/schedules/${run._id}`)).json<Schedule>().status
        await expect.poll(status, { timeout: 60_000 }).toBe('completed')
      }
    }
  })
})
