import type { OfferEvent } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { z } from 'zod'
import { accountTable, type Db } from '#platform/database.ts'

/** An event of a contact, recorded by an application. Properties are null where the application gave no value. */
export type NewEvent = {
  /** A UUID made by the sender, so that an event sent twice is recorded once. */
  id: string
  contactId: string
  /** The kind of event: `page_view`, `click` … */
  code: string
  date: Date
  appCode: string | null
  path: string | null
  element: string | null
  browser: string | null
  os: string | null
  ip: string | null
  pdid: string | null
  /** True when it triggered something else. */
  isTrigger: boolean
  /** Further values recorded by the application, under its own names. */
  details?: Record<string, string | number | boolean> | null
}

/**
 * Inserts events, except existing ones and those of contacts that do not exist. Returns the ids of the new ones. Their
 * contacts cannot be deleted until the events are committed: a concurrent delete either waits and removes the events,
 * or comes first.
 */
export async function insertEvents(db: Db, account: AccountId, events: readonly NewEvent[]): Promise<string[]> {
  // One array per column: the number of parameters does not depend on the number of events.
  const column = (valueOf: (event: NewEvent) => unknown) => sql.val(events.map(valueOf))
  const { rows } = await sql<{ id: string }>`
    INSERT INTO ${accountTable(account, 'events')}
      (id, contact_id, event_code, event_date, app_code, event_path, event_element, browser, os, ip, pdid, is_trigger,
        details)
    SELECT e.id, e.contact_id, e.event_code, e.event_date, e.app_code, e.event_path, e.event_element, e.browser, e.os,
      e.ip, e.pdid, e.is_trigger, e.details
    FROM unnest(
      ${column((event) => event.id)}::uuid[], ${column((event) => event.contactId)}::bigint[],
      ${column((event) => event.code)}::text[], ${column((event) => event.date.toISOString())}::timestamptz[],
      ${column((event) => event.appCode)}::text[], ${column((event) => event.path)}::text[],
      ${column((event) => event.element)}::text[], ${column((event) => event.browser)}::text[],
      ${column((event) => event.os)}::text[], ${column((event) => event.ip)}::text[],
      ${column((event) => event.pdid)}::text[], ${column((event) => event.isTrigger)}::boolean[],
      ${column((event) => (event.details ? JSON.stringify(event.details) : null))}::jsonb[]
    ) AS e (id, contact_id, event_code, event_date, app_code, event_path, event_element, browser, os, ip, pdid,
      is_trigger, details)
    JOIN ${accountTable(account, 'contacts')} AS c ON c.id = e.contact_id
    FOR KEY SHARE OF c
    ON CONFLICT (id) DO NOTHING
    RETURNING id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Gives the events of a contact to another one. Returns their number. */
export async function moveEvents(
  db: Db,
  account: AccountId,
  { from, to }: { from: string; to: string },
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE ${accountTable(account, 'events')} SET contact_id = ${to}::bigint
    WHERE contact_id = ${from}::bigint`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** An event as returned in lists. */
export type EventRow = Omit<z.output<typeof OfferEvent>, 'event_date' | 'pdid' | 'details'> & {
  event_date: Date
  pdid: string | null
  details: Record<string, unknown> | null
}
/**
 * Selects events of a contact: after `skip` of them, at most `limit`, as many as fit into `bytes`, but at least one.
 */
type WantedEvents = { skip: number; limit: number; bytes: number }

/** Events of a contact, newest first, each with the cumulative bytes of it and the events before it. */
export async function selectEvents(
  db: Db,
  account: AccountId,
  contactId: string,
  { skip, limit, bytes }: WantedEvents,
): Promise<{ event: EventRow; bytesSoFar: number }[]> {
  const { rows } = await sql<EventRow & { bytes: number }>`
    SELECT event_code, event_date, app_code, event_path, event_element, browser, os, ip, is_trigger, pdid, details,
      bytes::float8 AS bytes
    FROM (
      SELECT page.*,
        sum(octet_length(page::text)) OVER (ORDER BY event_date DESC, id ROWS UNBOUNDED PRECEDING) AS bytes,
        row_number() OVER (ORDER BY event_date DESC, id) AS place
      FROM (
        SELECT * FROM ${accountTable(account, 'events')} WHERE contact_id = ${contactId}
        ORDER BY event_date DESC, id LIMIT ${limit} OFFSET ${skip}
      ) AS page
    ) AS sized
    WHERE bytes <= ${bytes} OR place = 1 ORDER BY event_date DESC, id`.execute(db)
  return rows.map(({ bytes: bytesSoFar, ...event }) => ({ event, bytesSoFar }))
}
