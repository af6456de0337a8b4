import { randomUUID } from 'node:crypto'
import type { AccountId } from '@portico/contract/accounts'
import { recordEvents } from '#contacts'
import type { Database } from '#platform/database.ts'
import { addContacts } from './contacts.ts'
import type { Stored, Types } from '#test/oracles/naive-filter.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { type Draw, drawContacts, fieldTypes, timeZone } from '#test/oracles/random-filters.ts'

/** Starts a portal with an account that has `count` drawn contacts, as `arranged`, and a member of it. */
export async function startWithDrawn(
  draw: Draw,
  count: number,
  arranged = (drawn: Stored[]): Stored[] => drawn,
): Promise<{ portal: TestPortal; member: Member; contacts: Stored[] }> {
  const portal = await startPortal()
  const account = await portal.account()
  const { database } = portal.parts
  await database.pool.query('UPDATE portico.accounts SET time_zone = $1 WHERE id = $2', [timeZone, account])
  const member = await portal.member(account)
  const drawn = drawContacts(
    draw,
    Array.from({ length: count }, () => ''),
  )
  return { portal, member, contacts: await addStored(database, account, fieldTypes, arranged(drawn)) }
}

/** Adds drawn contacts with their places and events to an account. Returns them with their ids. */
export async function addStored(
  database: Database,
  account: AccountId,
  types: Types,
  drawn: readonly Stored[],
): Promise<Stored[]> {
  const rows = drawn.map(({ values }) => Object.fromEntries(values))
  const ids = await addContacts(database, account, types, rows)
  const contacts = drawn.map((contact, at) => ({ ...contact, id: ids[at] ?? '' }))
  await addPlaces(database, account, contacts)
  await addEvents(database, account, contacts)
  return contacts
}

async function addPlaces({ pool }: Database, account: AccountId, contacts: readonly Stored[]): Promise<void> {
  const placed = contacts.filter(({ place }) => place)
  await pool.query(
    `INSERT INTO account_${account}.contact_keys (id, latitude, longitude)
     SELECT * FROM unnest($1::bigint[], $2::float8[], $3::float8[])`,
    [
      placed.map(({ id }) => id),
      placed.map(({ place }) => place?.latitude),
      placed.map(({ place }) => place?.longitude),
    ],
  )
}

async function addEvents({ db, pool }: Database, account: AccountId, contacts: readonly Stored[]): Promise<void> {
  const all = contacts.flatMap(({ id, events = [] }) =>
    events.map((event) => ({ id: randomUUID(), contactId: id, event })),
  )
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const nothing = { appCode: null, path: null, element: null, ip: null, pdid: null }
  await recordEvents(
    db,
    account,
    all.map(({ id, contactId, event }) => ({
      ...nothing,
      id,
      contactId,
      code: String(event.get('event_code')),
      date: new Date(String(event.get('event_date'))),
      browser: text(event.get('browser')),
      // An empty text is no value either.
      os: text(event.get('os')) ?? '',
      isTrigger: event.get('is_trigger') === true,
    })),
  )
  const details = all.map(({ event }) =>
    JSON.stringify({ page: event.get('page') ?? '', price: event.get('price') ?? null }),
  )
  await pool.query(
    `UPDATE account_${account}.events AS e SET details = d.details FROM unnest($1::uuid[], $2::jsonb[]) AS d (id, details) WHERE e.id = d.id`,
    [all.map(({ id }) => id), details],
  )
}
