import type { RemoteAccess } from '@portico/contract/remote-access'
import { expect, vi } from 'vitest'
import type { Answer, Client, Member, TestPortal } from './portal.ts'

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

/** A page of this origin, or a program without one, at an address. */
export function stranger(portal: TestPortal, origin: string | null, address?: string): Client {
  return portal.asking(origin === null ? {} : { origin }, address)
}

/** Reads the contact with these values, as `stranger` or `portal.asking` makes the caller. */
export function readOffer(caller: Client, account: number, values: Record<string, string> | string): Promise<Answer> {
  const query = typeof values === 'string' ? values : new URLSearchParams(values).toString()
  return caller.get(`/contact-service/v1/public/${account}/offers?${query}`)
}

export function sendEvents(
  caller: Client,
  account: number,
  values: Record<string, string>,
  body: unknown,
): Promise<Answer> {
  return caller.post(`/contact-service/v1/public/${account}/events?${new URLSearchParams(values).toString()}`, body)
}
