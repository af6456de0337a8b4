import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { sql } from 'kysely'
import { accountsAs } from '#accounts'
import { personsAs } from '#persons'
import { control, type Db } from '#platform/database.ts'
import type { VersionRow } from '#platform/rows/versions.ts'
import type { Tables } from './tables.ts'

type RuleRow = VersionRow & { id: string; name: string; rule: Stages }

/** The identities of the account that have a row rule, by the email or name of their holder. */
export async function selectRowRules(db: Db, account: AccountId): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    SELECT i.id, i.version, i.saves, i.row_rule AS rule, coalesce(i.service_name, p.email) AS name
    FROM portico.identities i LEFT JOIN ${sql.raw(personsAs('p'))} ON p.id = i.person_id
    WHERE i.account_id = ${account} AND i.row_rule IS NOT NULL ORDER BY i.id`.execute(db)
  return rows
}

/** The same, with the rows locked until the end of the transaction. */
export async function lockRowRules(db: Db, account: AccountId): Promise<RuleRow[]> {
  await control<Tables>(db)
    .selectFrom('identities')
    .select('id')
    .where('account_id', '=', account)
    .where('row_rule', 'is not', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  return selectRowRules(db, account)
}

export async function updateRowRule(
  db: Db,
  account: AccountId,
  id: string,
  rule: Stages,
  next: { version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('identities')
    .set({ row_rule: JSON.stringify(rule), ...next })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute()
}

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

type PolicyRow = VersionRow & { id: string; actions: string[]; conditions: string[] }

/** Locks the account's own policies until the end of the transaction. */
export async function lockOwnPolicies(db: Db, account: AccountId): Promise<PolicyRow[]> {
  return control<Tables>(db)
    .selectFrom('policies')
    .select(['id', 'version', 'saves', 'actions', 'conditions'])
    .where('account_id', '=', account)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export async function updateConditions(
  db: Db,
  account: AccountId,
  id: string,
  conditions: string[],
  next: { version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('policies')
    .set({ conditions, ...next })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute()
}
