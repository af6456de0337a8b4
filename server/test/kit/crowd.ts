import { randomUUID } from 'node:crypto'
import type { FieldType } from '@portico/contract/contacts'
import { Filter, Pipeline } from '@portico/contract/filter-stages'
import { expect } from 'vitest'
import { recordEvents } from '#contacts'
import { addContacts, type FieldValues } from '#test/resources/contacts.ts'
import type { Answer, Member, TestPortal } from './portal.ts'

const types: Record<string, FieldType> = {
  Name: 'string',
  City: 'string',
  Age: 'number',
  Member: 'boolean',
  Since: 'date',
}
/** A small set of contacts; tests refer to matches by their index here. */
export const people: FieldValues[] = [
  { Name: 'Anna Berg', City: 'Zürich', Age: 30, Member: true, Since: '2026-01-31T23:30:00Z' },
  { Name: 'anna lind', City: 'Zürich', Age: 40, Member: false, Since: '2026-02-01T04:59:59Z' },
  { Name: 'Bob', City: 'Lyon', Age: 50, Since: '2026-02-01T05:00:00Z' },
  { Name: 'Bergmann-Anna', City: 'Lyon', Age: 2.5, Member: true },
  { Name: 'Émile', Age: 0, Since: '2025-07-05T12:00:00Z' },
  {},
]
// [latitude, longitude] of the first five.
const places = [
  [47.37, 8.54],
  [47.5, 8.72],
  [45.76, 4.83],
  [-16.5, 179.9],
  [89.9, 10],
]

/** An account with these people, their events and places, in the time zone of New York. */
export type Crowd = {
  account: number
  member: Member
  ids: string[]
  ask: (query: string) => Promise<Answer>
  /** Returns the matches of a `$match`, as indexes in `people`. */
  found: (match: unknown) => Promise<number[]>
  /** Returns the rows of a pipeline. */
  rowsOf: (...stages: unknown[]) => Promise<Record<string, unknown>[]>
  /** Returns the error message of a pipeline. */
  refusal: (...stages: unknown[]) => Promise<string>
}

/** Checks that the description of the API allows a filter that the server accepts. */
export function expectDescribed(schema: typeof Filter, stages: unknown[]): void {
  expect({ stages, problem: schema.safeParse(stages).error }).toEqual({ stages, problem: undefined })
}

export const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

export async function crowdOf(portal: TestPortal): Promise<Crowd> {
  const account = await portal.account()
  const { pool } = portal.parts.database
  await pool.query(`UPDATE portico.accounts SET time_zone = 'America/New_York' WHERE id = $1`, [account])
  const member = await portal.member(account)
  const ids = await addContacts(portal.parts.database, account, types, people)
  await pool.query(
    `INSERT INTO account_${account}.contact_keys (id, latitude, longitude)
     SELECT * FROM unnest($1::bigint[], $2::float8[], $3::float8[])`,
    [ids.slice(0, 5), places.map(([latitude]) => latitude), places.map(([, longitude]) => longitude)],
  )
  await addEvents(portal, account, ids)
  const ask = (query: string) => member.get(`/contact-service/v1/offers?${query}`)
  return {
    account,
    member,
    ids,
    ask,
    async found(match) {
      expectDescribed(Filter, [{ $match: match }])
      const answer = await ask(`find=${json([{ $match: match }])}&sort=${json({ _id: 1 })}`)
      expect({ match, status: answer.status, body: answer.body }).toMatchObject({ match, status: 200 })
      return answer.json<{ _id: string }[]>().map(({ _id }) => ids.indexOf(_id))
    },
    async rowsOf(...stages) {
      expectDescribed(Pipeline, stages)
      const answer = await ask(`aggregate=${json(stages)}`)
      expect({ stages, status: answer.status, body: answer.body }).toMatchObject({ stages, status: 200 })
      return answer.json()
    },
    async refusal(...stages) {
      const answer = await ask(`aggregate=${json(stages)}`)
      expect({ stages, ...answer }).toMatchObject({ stages, status: 400, body: { error: { code: 'invalid_filter' } } })
      return answer.json<{ error: { message: string } }>().error.message
    },
  }
}

async function addEvents(portal: TestPortal, account: number, ids: string[]): Promise<void> {
  const event = (at: number, code: string, date: string, more: { browser?: string; isTrigger?: boolean } = {}) => ({
    id: randomUUID(),
    contactId: ids[at] ?? '',
    code,
    date: new Date(date),
    appCode: 'shop',
    path: '/start',
    element: null,
    browser: more.browser ?? null,
    os: null,
    ip: '::1',
    pdid: 'list 1',
    isTrigger: more.isTrigger ?? false,
  })
  await recordEvents(portal.parts.database.db, account, [
    event(0, 'open', '2026-02-01T04:30:00Z', { browser: 'Firefox' }),
    event(0, 'click', '2026-02-03T12:00:00Z', { isTrigger: true }),
    event(1, 'open', '2026-02-02T12:00:00Z', { browser: 'Chrome' }),
    event(2, 'click', '2026-02-02T13:00:00Z', { browser: 'Firefox' }),
  ])
  await portal.parts.database.pool.query(
    `UPDATE account_${account}.events SET details = '{"price": 12.5, "page": "Home", "vip": true}' WHERE contact_id = $1 AND event_code = 'click'`,
    [ids[0]],
  )
}
