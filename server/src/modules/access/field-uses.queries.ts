import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { type RawBuilder, sql } from 'kysely'
import { accountsAs } from '#accounts'
import { personsAs } from '#persons'
import { control, type Db } from '#platform/database.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import type { Tables } from './tables.ts'

export type RuleRow = VersionRow & { id: string; name: string; rule: Stages; isElsewhere: boolean }

const mayName = (pattern: string): RawBuilder<unknown> => sql`i.row_rule::text ~* ${pattern}`

/** Identities that give access to the account `own`: of its own, of its parent, and global ones. */
const entering = (identity: string): RawBuilder<unknown> => {
  const of = sql.raw(identity)
  return sql`(${of}.account_id = own.id OR ${of}.account_id IS NULL
    OR (${of}.account_id = own.parent_id AND ${of}.access_to_all_sub_accounts))`
}

/**
 * The identities that give access to the account and whose row rule matches the pattern, in any letter case, by the email
 * or name of their holder, which is not shown where the identity is of another account. `isElsewhere`: the rule limits
 * contacts of other accounts too.
 */
export async function selectRowRules(db: Db, account: AccountId, pattern: string): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    SELECT i.id, i.version, i.saves, i.row_rule AS rule,
      CASE WHEN i.account_id = own.id THEN coalesce(i.service_name, p.email) ELSE '(of another account)' END AS name,
      i.account_id IS DISTINCT FROM own.id OR (i.access_to_all_sub_accounts
        AND EXISTS (SELECT FROM ${sql.raw(accountsAs('sub'))} WHERE sub.parent_id = own.id)) AS "isElsewhere"
    FROM portico.identities i JOIN ${sql.raw(accountsAs('own'))} ON own.id = ${account}
    LEFT JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
    WHERE i.row_rule IS NOT NULL AND ${entering('i')} AND ${mayName(pattern)} ORDER BY i.id`.execute(db)
  return rows
}

const versionsOf = (table: 'identities' | 'policies'): RawBuilder<unknown> =>
  sql`md5(coalesce(string_agg(concat(item.id, ' ', item.version), ',' ORDER BY item.id), '')) AS mark
    FROM ${sql.table(`portico.${table}`)} item`

/** A mark of the row rules that limit contacts of the account, which differs after each change. */
export async function selectRulesMark(db: Db, account: AccountId): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    SELECT ${versionsOf('identities')} JOIN ${sql.raw(accountsAs('own'))} ON own.id = ${account}
    WHERE item.row_rule IS NOT NULL AND ${entering('item')}`.execute(db)
  return rows[0]?.mark ?? ''
}

/** An item with new names, and its version after the change. */
type Changed<Item> = Item & { id: string; version: number; saves: string }

export async function updateRowRules(
  db: Db,
  account: AccountId,
  changed: readonly Changed<{ rule: Stages }>[],
): Promise<void> {
  const texts = changed.map(({ rule, ...row }) => ({ ...row, text: JSON.stringify(rule) }))
  await sql`
    UPDATE portico.identities item SET row_rule = changed.text::jsonb, version = changed.version, saves = changed.saves
    FROM ${rowsOf(texts)} WHERE item.account_id = ${account} AND item.id = changed.id`.execute(db)
}

const rowsOf = (changed: readonly Changed<{ text: string }>[]): RawBuilder<unknown> => sql`unnest(
    ${sql.val(changed.map(({ id }) => id))}::uuid[], ${sql.val(changed.map(({ version }) => version))}::integer[],
    ${sql.val(changed.map(({ saves }) => saves))}::jsonb[], ${sql.val(changed.map(({ text }) => text))}::text[]
  ) AS changed (id, version, saves, text)`

type KnownPolicy = { name: string; actions: string[]; conditions: string[]; isOfAccountAlone: boolean }

/**
 * The policies that apply in the account. `isOfAccountAlone`: the account owns them and has no sub-accounts in which
 * they would apply too.
 */
export async function selectKnownPolicies(db: Db, account: AccountId): Promise<KnownPolicy[]> {
  const { rows } = await sql<KnownPolicy>`
    SELECT policy.name, policy.actions, policy.conditions,
      policy.account_id IS NOT DISTINCT FROM own.id
        AND NOT EXISTS (SELECT FROM ${sql.raw(accountsAs('sub'))} WHERE sub.parent_id = own.id) AS "isOfAccountAlone"
    FROM portico.policies policy
    JOIN ${sql.raw(accountsAs('own'))} ON own.id = ${account}
    WHERE policy.account_id IS NULL OR policy.account_id IN (own.id, own.parent_id)
    ORDER BY policy.name_key`.execute(db)
  return rows
}

/** A mark of the policies that apply in the account, which differs after each change. */
export async function selectPoliciesMark(db: Db, account: AccountId): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    SELECT ${versionsOf('policies')} JOIN ${sql.raw(accountsAs('own'))} ON own.id = ${account}
    WHERE item.account_id IS NULL OR item.account_id IN (own.id, own.parent_id)`.execute(db)
  return rows[0]?.mark ?? ''
}

type PolicyRow = VersionRow & { id: string; actions: string[]; conditions: string[] }

export async function selectOwnPolicies(db: Db, account: AccountId): Promise<PolicyRow[]> {
  return control<Tables>(db)
    .selectFrom('policies')
    .select(['id', 'version', 'saves', 'actions', 'conditions'])
    .where('account_id', '=', account)
    .orderBy('id')
    .execute()
}

export async function updateConditions(
  db: Db,
  account: AccountId,
  changed: readonly Changed<{ conditions: string[] }>[],
): Promise<void> {
  const texts = changed.map(({ conditions, ...row }) => ({ ...row, text: JSON.stringify(conditions) }))
  await sql`
    UPDATE portico.policies item SET version = changed.version, saves = changed.saves, conditions = ARRAY(
      SELECT part.text FROM jsonb_array_elements_text(changed.text::jsonb) WITH ORDINALITY AS part (text, at)
      ORDER BY part.at
    )
    FROM ${rowsOf(texts)} WHERE item.account_id = ${account} AND item.id = changed.id`.execute(db)
}
