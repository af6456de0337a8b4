import type { FieldType } from '@portico/contract/contacts'
import type { IndexDetails } from '@portico/contract/indexes'
import { expect, vi } from 'vitest'
import { addContacts } from './contacts.ts'
import type { Answer, Member, TestPortal } from '#test/kit/portal.ts'

export const indexesPath = '/contact-service/v1/indexes'

export const indexedTypes: Record<string, FieldType> = {
  Email: 'string',
  City: 'string',
  Age: 'number',
  Since: 'date',
}

/** Creates a power user in a new account with six contacts. */
export async function indexingMember(portal: TestPortal): Promise<Member> {
  const account = await portal.account()
  await addContacts(portal.parts.database, account, indexedTypes, [
    { Email: 'a@x.example', City: 'Paris', Age: 1 },
    { Email: 'b@x.example', City: 'Paris', Age: 2 },
    { Email: 'c@x.example', City: 'Rome', Age: 2 },
    { Email: 'd@x.example', City: 'Rome', Age: 2 },
    {},
    {},
  ])
  return portal.member(account)
}

export function createIndex(by: Member, key: unknown, options?: Record<string, unknown>): Promise<Answer> {
  return by.post(indexesPath, { key, options })
}

/** Returns the indexes created by users. */
export async function customIndexes(by: Member): Promise<IndexDetails[]> {
  const all = (await by.get(`${indexesPath}/details`)).json<IndexDetails[]>()
  return all.filter(({ isInternal }) => !isInternal)
}

/** Waits until the index of that name is built, failed or deleted; undefined if deleted. The worker must be running. */
export async function settledIndex(by: Member, name: string): Promise<IndexDetails | undefined> {
  const find = async () => (await customIndexes(by)).find((index) => index.name === name)
  return vi
    .waitUntil(
      async () => {
        const index = await find()
        return index?.state === 'building' || index?.state === 'deleting' ? false : { index }
      },
      { timeout: 30_000, interval: 50 },
    )
    .then(({ index }) => index)
}

/** Creates an index and waits until it is ready or failed. */
export async function buildIndex(
  by: Member,
  key: unknown,
  options?: Record<string, unknown>,
): Promise<IndexDetails | undefined> {
  const answer = await createIndex(by, key, options)
  expect(answer).toMatchObject({ status: 202 })
  return settledIndex(by, answer.json<{ name: string }>().name)
}

/** Returns PostgreSQL's definitions of the indexes created by users, without the account's schema. */
export async function indexDefinitions(portal: TestPortal, account: number): Promise<string[]> {
  const { rows } = await portal.parts.database.pool.query<{ indexdef: string }>(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND indexname ~ '^(field|prefix)_index_' ORDER BY indexname`,
    [`account_${account}`],
  )
  return rows.map(({ indexdef }) => indexdef.replaceAll(`account_${account}.`, ''))
}

/** The built-in indexes of every account. */
export const ownIndexes = {
  _id_: [['_id', 1]],
  purl: [['purl', 1]],
  dedupHash: [['dedupHash', 1]],
  location: [['location', 1]],
}
