import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityOf } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron } from '#test/resources/crons.ts'
import { createDashboard } from '#test/resources/dashboards.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// A GET call changes nothing, or declares what it stores, like calls that change something. Checked by triggers on
// every table, so a new call that writes needs a decision.

const reading = (Object.entries(api) as [keyof typeof api, Route][]).filter(([, { method }]) => method === 'GET')

/** Tables of traces that any call may leave: who called, and how often. */
const traces = new Set(['sessions', 'audit_log', 'call_counts', 'known_devices', 'second_steps'])

let portal: TestPortal
let owner: Member
let ids: Record<string, string>

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  await addContacts(portal.parts.database, account, { Name: 'string' }, [{ Name: 'Ada' }])
  owner = await portal.member(account)
  const cron = await addCron(owner)
  const [offer] = (await owner.get('/contact-service/v1/offers')).json<{ _id: string }[]>()
  ids = {
    identities: await identityOf(portal, owner),
    dashboards: (await createDashboard(owner, {}))._id,
    crons: cron._id,
    schedules: cron.nextScheduleId ?? '',
    offers: offer?._id ?? '',
  }
  await watchTables()
})
afterAll(() => portal.close())

/** Makes every table record its changes in a table of the test. */
async function watchTables(): Promise<void> {
  const { pool } = portal.parts.database
  await pool.query('CREATE SCHEMA watched')
  await pool.query('CREATE TABLE watched.changes (name text NOT NULL)')
  await pool.query(`CREATE FUNCTION watched.note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO watched.changes VALUES (TG_TABLE_NAME); RETURN NULL; END $$`)
  await pool.query(`DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT schemaname, tablename FROM pg_tables
      WHERE schemaname IN ('portico', 'account_${owner.account}') LOOP
      EXECUTE format('CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON %I.%I EXECUTE FUNCTION watched.note()',
        one.schemaname, one.tablename);
    END LOOP; END $$`)
  // The queue has jobs of its own, which come at any moment.
  await pool.query(`CREATE TRIGGER noted AFTER INSERT ON jobs.job FOR EACH ROW WHEN (left(NEW.name, 2) <> '__')
    EXECUTE FUNCTION watched.note()`)
}

async function changedBy(act: () => Promise<unknown>): Promise<string[]> {
  const { pool } = portal.parts.database
  await pool.query('TRUNCATE watched.changes')
  await act()
  const { rows } = await pool.query<{ name: string }>('SELECT DISTINCT name FROM watched.changes ORDER BY name')
  return rows.map(({ name }) => name).filter((name) => !traces.has(name))
}

const queries: Partial<Record<keyof typeof api, string>> = {
  getPolicies: 'justPolicies=true',
  suggestOffers: 'text=ada',
  listCrons: 'consumerCode=EXPORT',
  listSchedules: 'consumerCode=EXPORT',
  createUpload: 'type=text/csv',
}

function ask(name: keyof typeof api, { path }: Route) {
  const resource = path.split('/')[3] ?? ''
  const values: Record<string, string> = {
    id: ids[resource] ?? '1',
    contact: ids['offers'] ?? '1',
    account: String(owner.account),
    email: owner.email,
    parent: '*',
    ip: '127.0.0.1',
    expirySeconds: '3600',
    policies: 'contact-offers-list',
    version: '1',
    name: 'contacts.csv',
    fileName: 'contacts.csv',
  }
  const filled = path.replaceAll(/:(\w+)/g, (_whole, part: string) => encodeURIComponent(values[part] ?? '1'))
  return owner.get(`${filled}?${queries[name] ?? ''}`)
}

test('most calls succeed, so that they could have changed something', async () => {
  const statuses = await Promise.all(reading.map(async ([name, route]) => (await ask(name, route)).status))
  expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(reading.length * 0.6)
})

test.each(reading)('%s changes nothing, or declares what it stores', async (name, route) => {
  const changed = await changedBy(() => ask(name, route))
  expect(route.stores === undefined ? changed : []).toEqual([])
})

test('exactly four GET calls change something, as specified', () => {
  const changing = reading.filter(([, { stores }]) => stores !== undefined).map(([name]) => name)
  expect(changing.toSorted()).toEqual(['chooseAccount', 'createUpload', 'impersonate', 'impersonateWithPolicies'])
})

test('changes are detected', async () => {
  const link = '/identity/v1/login/127.0.0.1/3600'
  // The job sends an email about the link.
  expect(await changedBy(() => owner.get(link))).toEqual(['impersonations', 'job_common'])
})
