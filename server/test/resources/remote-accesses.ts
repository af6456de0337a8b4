import type { RemoteAccess } from '@portico/contract/remote-access'
import { expect, vi } from 'vitest'
import type { FastifyInstance } from 'fastify'
import { doorHeaders } from '#platform/http/security-headers.ts'
import { buildApp } from '../../src/app.ts'
import { addContacts } from './contacts.ts'
import type { Answer, Client, Member, TestPortal } from '#test/kit/portal.ts'

/** For tests that are not about limits. */
export const noLimits = { perAddress: 1e9, perAccess: 1e9, misses: 1e9, eventsPerDay: 1e9 }

export const accessPath = '/contact-service/v1/remoteAccess'

/** Settings of an access as the form sends them. */
export const newAccess = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'domain',
  domainOrIp: 'shop.example.com',
  includeSubDomains: false,
  filter: '{"Email":"{{Email}}"}',
  publicColumns: '"First Name" City',
  ...changes,
})

/** Creates an access and waits until it is served. The portal's worker must be running. */
export async function addAccess(member: Member, changes: Record<string, unknown> = {}): Promise<RemoteAccess> {
  const answer = await member.post(accessPath, newAccess(changes))
  expect(answer).toMatchObject({ status: 201 })
  const created = answer.json<RemoteAccess>()
  return untilServed(member, created._id)
}

export async function untilServed(member: Member, id: string): Promise<RemoteAccess> {
  const find = async (): Promise<RemoteAccess | undefined> =>
    (await member.get(accessPath)).json<RemoteAccess[]>().find(({ _id }) => _id === id)
  await vi.waitFor(async () => expect((await find())?.index.state).toBe('ready'), { timeout: 20_000, interval: 50 })
  const access = await find()
  if (!access) throw new Error('The access was deleted meanwhile.')
  return access
}

/** Returns a page of this origin, or a program without one, at an address. */
export function stranger(portal: TestPortal, origin: string | null, address?: string): Client {
  return portal.asking(origin === null ? {} : { origin }, address)
}

/** Reads the contact with these values, with a caller from `stranger` or `portal.asking`. */
export function readOffer(
  caller: Client,
  account: number | string,
  values: Record<string, string> | string,
): Promise<Answer> {
  const query = typeof values === 'string' ? values : new URLSearchParams(values).toString()
  return caller.get(`/contact-service/v1/public/${encodeURIComponent(account)}/offers?${query}`)
}

export function sendEvents(
  caller: Client,
  account: number,
  values: Record<string, string>,
  body: unknown,
): Promise<Answer> {
  return caller.post(`/contact-service/v1/public/${account}/events?${new URLSearchParams(values).toString()}`, body)
}

const types = {
  Email: 'string',
  'First Name': 'string',
  City: 'string',
  Zip: 'string',
  Age: 'number',
  Born: 'date',
  Member: 'boolean',
} as const
const contacts = [
  {
    Email: 'Ada@Example.com ',
    'First Name': 'Ada',
    City: 'London',
    Zip: '8001',
    Age: 36,
    Born: '1815-12-10T00:00:00Z',
    Member: true,
  },
  { Email: 'eve@example.com', 'First Name': 'Eve', City: null, Zip: '8001', Age: 41.5, Born: null, Member: false },
  { Email: 'twin@example.com', 'First Name': 'Tom', City: 'Paris', Zip: '75001', Age: null, Born: null, Member: null },
  { Email: 'TWIN@example.com', 'First Name': 'Tim', City: 'Paris', Zip: '75002', Age: null, Born: null, Member: null },
  { Email: null, 'First Name': 'Nameless', City: 'Rome', Zip: null, Age: null, Born: null, Member: null },
]
/** The public columns of the first contact of `memberWithContacts`. */
export const ada = { 'First Name': 'Ada', City: 'London' }

/** Creates a power user of a new account with contacts, two of which share an email. `ids` are theirs, in order. */
export async function memberWithContacts(portal: TestPortal): Promise<Member & { ids: string[] }> {
  const account = await portal.account()
  const purls = (at: number) => ({ purl: { base: at < 3 ? 'ada' : 'tim', number: at + 1 } })
  const ids = await addContacts(portal.parts.database, account, types, contacts, purls)
  return { ...(await portal.member(account)), ids }
}

/** Returns everything that a caller learns: the status, the body and all headers except the time and the request id. */
export function learnt({ status, body, headers }: Answer) {
  const { date: _time, 'x-request-id': _id, connection: _connection, ...others } = headers
  return { status, body, headers: others }
}
export const nothing = {
  status: 403,
  body: {
    error: { code: 'access_refused', message: 'No remote access lets this page or address do this.' },
  },
  headers: { ...doorHeaders, 'content-type': 'application/json; charset=utf-8', 'content-length': '99' },
}

/** Starts another process that serves the portal. */
export function secondProcess(portal: TestPortal): Promise<FastifyInstance> {
  return buildApp(portal.parts)
}
