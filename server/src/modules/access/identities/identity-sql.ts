import type { AccountId } from '@portico/contract/accounts'
import { servicePrefix } from '@portico/contract/identities'
import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '#platform/ids.ts'
import type { OwnedPart } from '../people/owned-work.ts'

// SQL fragments for statements of other modules that join an identity: only this file knows the table and its columns.

/** The table of identities under an alias, for FROM and JOIN. */
export const identitiesAs = (alias: string): string => `portico.identities ${alias}`

/** SQL: whether the person has accepted the identity. */
export const isAccepted = (identity: string): string => `${identity}.accepted_at IS NOT NULL`

/** SQL: whether a session started at `startedAt` can use the identity, that is, was not signed out of it since. */
export const takesSession = (identity: string, startedAt: string): string =>
  `(${identity}.sessions_ended_at IS NULL OR ${identity}.sessions_ended_at < ${startedAt})`

/**
 * SQL: the text that names a service identity among callers, such as `service:Nightly sync`; null for that of a person.
 */
export const serviceActor = (identity: string): string => `'${servicePrefix}' || ${identity}.service_name`

/**
 * The columns of the holder of an identity: its person, joined as `person`, or the service. Shaped as for persons in
 * `#persons`.
 */
export const holderColumns = (identity: string, person: string): string => `
  coalesce(${person}.id, ${identity}.id) AS person_id, coalesce(${person}.email, ${serviceActor(identity)}) AS email,
  coalesce(${person}.user_name, ${identity}.service_name) AS user_name, ${person}.photo_url,
  ${identity}.service_name IS NOT NULL AS is_service`

/** A subquery that returns the `id` of this identity if it is the account's (null: global), and no row otherwise. */
export const identityOf = (account: AccountId | null, identity: string): RawBuilder<unknown> =>
  sql`(SELECT id FROM portico.identities WHERE id = ${identity} AND account_id IS NOT DISTINCT FROM ${account}::integer)`

/**
 * SQL: whether something stored with this holder (`Holder`) was stored by the person, in their session or by an API
 * credential of theirs. Earlier releases stored no person: `author` is the column with their email.
 */
export const isHeldBy = (
  holder: string,
  author: string,
  { id, email }: { id: string; email: string },
): RawBuilder<boolean> => sql<boolean>`CASE split_part(coalesce(${sql.raw(holder)}, ''), ' ', 3)
  WHEN '' THEN ${sql.raw(author)} = ${email} ELSE split_part(${sql.raw(holder)}, ' ', 3) = ${id} END`

/**
 * SQL: whether something stored with this holder (`Holder`) acts by one of these identities, or by an API credential of one;
 * always for null.
 */
export const actsByOneOf = (holder: string, identities: readonly string[] | null): RawBuilder<boolean> =>
  identities === null
    ? sql<boolean>`true`
    : sql<boolean>`(split_part(${sql.raw(holder)}, ' ', 1) IN ('identity', 'credential')
      AND split_part(${sql.raw(holder)}, ' ', 2) = ANY (${identities}::text[]))`

/** SQL, after an expression of a condition: limits the listed work to a part of it, in the order of these columns. */
export const ownedPart = (id: string, order: string, part: OwnedPart): RawBuilder<unknown> =>
  'ids' in part
    ? sql`AND ${sql.raw(id)} = ANY (${part.ids.filter(isUuid)}::uuid[]) ORDER BY ${sql.raw(order)}`
    : sql`ORDER BY ${sql.raw(order)} LIMIT ${part.most} OFFSET ${part.skip}`

/**
 * SQL: whether an identity of the person opens the account joined as `account`: its own, one of the parent with access
 * to all sub-accounts, or a global one. Disabled identities and those not accepted do not; limits are ignored.
 */
export const hasIdentityIn = (person: string, account: string): string => `EXISTS (
  SELECT FROM portico.identities i
  WHERE i.person_id = ${person} AND NOT i.is_disabled AND ${isAccepted('i')} AND (i.account_id IS NULL OR i.account_id = ${account}.id
    OR (i.account_id = ${account}.parent_id AND i.access_to_all_sub_accounts)))`
