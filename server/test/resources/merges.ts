import type { ContactChange } from '@portico/contract/contact-edits'
import { expect } from 'vitest'
import { recordEvents } from '#contacts'
import { newEvent } from './events.ts'
import { contactsOf, importFile, withPurl } from './imports.ts'
import { createIndex, customIndexes } from './indexes.ts'
import type { Answer, Member, TestPortal } from '#test/kit/portal.ts'

const offers = '/contact-service/v1/offers'

/** The contacts of this file are a, b and c, by the first letters of their addresses. */
export const twins = 'First,Last,Email,City,Phone\nAda,King,a@x,Bern,\nAda,King,b@x,Rome,555\nBob,Ray,c@x,Oslo,\n'

/** A member of a new account with the contacts of the file. */
export async function memberWithTwins(portal: TestPortal) {
  const member = await portal.member(await portal.account())
  expect(await importFile(portal, member, twins, withPurl)).toMatchObject({ status: 'completed' })
  const contacts = await contactsOf(member)
  const idOf = (email: string): string => contacts.find(({ Email }) => Email === email)?._id ?? ''
  return { member, a: idOf('a@x'), b: idOf('b@x'), c: idOf('c@x') }
}

type Value = string | number | null
/** The values of two contacts, and the one that wins. */
export type BothValues = Record<string, [kept: Value, other: Value, wins?: 'kept' | 'other']>

/** The fields in which a and b differ. */
export const differing: BothValues = { Email: ['a@x', 'b@x'], City: ['Bern', 'Rome'], Phone: [null, '555'] }

/** Merges one contact into another. */
export function askMerge(
  by: Pick<Member, 'post'>,
  kept: string,
  other: string,
  values: BothValues = differing,
): Promise<Answer> {
  const named = Object.entries(values).map(([name, [own, of, wins]]) => {
    return [name, { kept: own, other: of, ...(wins && { wins }) }]
  })
  return by.post(`${offers}/${kept}/merge`, { other, fields: Object.fromEntries(named) })
}

export async function merged(by: Member, kept: string, other: string, values: BothValues = differing) {
  const answer = await askMerge(by, kept, other, values)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<{ change: ContactChange; movedEvents: number; delete: string }>()
}

/** Records one event of the first contact, and two of the second. */
export async function addThreeEvents(portal: TestPortal, { account }: Member, one: string, two: string): Promise<void> {
  const id = (at: number): string => `00000000-0000-4000-8000-00000000000${at}`
  const events = [newEvent(one, { id: id(1) }), newEvent(two, { id: id(2) }), newEvent(two, { id: id(3) })]
  await recordEvents(portal.parts.database.db, account, events)
}

/** Makes a unique index of a field, and waits for it. The portal's worker must be running. */
export async function addUniqueIndex(by: Member, field: string): Promise<void> {
  await createIndex(by, { [field]: 1 }, { unique: true, name: 'alone' })
  await expect.poll(() => customIndexes(by)).toMatchObject([{ state: 'ready' }])
}

export const editField = (by: Member, id: string, field: string, from: Value, to: Value): Promise<Answer> =>
  by.put(`${offers}/${id}`, { changes: { [field]: { from, to } } })

export const readContact = async (by: Member, id: string) =>
  (await by.get(`${offers}/${id}`)).json<Record<string, unknown>>()

export const changesOfContact = async (by: Member, id: string): Promise<ContactChange[]> =>
  (await by.get(`${offers}/${id}/changes`)).json<ContactChange[]>()
