import type { AccountId } from '@portico/contract/accounts'
import type pg from 'pg'
import { emailOrder, personsAs } from '#persons'
import {
  accessColumnsOfIdentity,
  accessColumnsOfPerson,
  accessJoins,
  type AccessRow,
  asProgram,
  readAccessRow,
} from '../evaluator/access-sql.ts'
import { identitiesAs, isAccepted } from '../identities/identity-sql.ts'

/**
 * The people with an accepted identity of the account, then its service identities, each with all identities that open
 * the account. `withGlobal`: also people who have only a global identity, or one of the parent for all sub-accounts.
 */
export async function selectAccessOfMembers(
  pool: pg.Pool,
  account: AccountId,
  { withGlobal }: { withGlobal: boolean },
): Promise<AccessRow[]> {
  const persons = await pool.query<AccessRow>(
    `SELECT ${accessColumnsOfPerson} FROM ${personsAs('p')} ${accessJoins('$1')}
    WHERE EXISTS (
      SELECT FROM ${identitiesAs('own')} WHERE own.person_id = p.id AND ${isAccepted('own')}
        AND (own.account_id = $1 OR ($2 AND (own.account_id IS NULL
          OR (own.account_id = a.parent_id AND own.access_to_all_sub_accounts)))))
    ORDER BY ${emailOrder('p')}`,
    [account, withGlobal],
  )
  const services = await pool.query<AccessRow>(
    `SELECT ${accessColumnsOfIdentity('acting')} FROM ${identitiesAs('acting')}
    LEFT JOIN ${personsAs('p')} ON p.id = acting.person_id ${accessJoins('$1', 'i.id = acting.id')}
    WHERE acting.account_id = $1 AND acting.service_name IS NOT NULL ORDER BY acting.service_name_key`,
    [account],
  )
  return [...persons.rows.map(readAccessRow), ...services.rows.map((row) => asProgram(readAccessRow(row)))]
}

/**
 * All who hold a policy, by their groups or (`isEveryones`) by the group `everyone`, in each account where they do, with
 * all identities that open it. Holders by a global identity are listed in `account`, whose people come first.
 */
export async function selectAccessOfHolders(
  pool: pg.Pool,
  account: AccountId,
  { policy, isEveryones }: { policy: string; isEveryones: boolean },
): Promise<AccessRow[]> {
  const holding = `${isAccepted('holder')} AND ($3 OR EXISTS (
    SELECT FROM portico.identity_groups ig JOIN portico.group_policies gp ON gp.group_id = ig.group_id
    WHERE ig.identity_id = holder.id AND gp.policy_id = $2))`
  const persons = await pool.query<AccessRow>(
    `SELECT ${accessColumnsOfPerson}
    FROM (
      SELECT DISTINCT person_id, coalesce(holder.account_id, $1) AS account_id FROM ${identitiesAs('holder')}
      WHERE holder.person_id IS NOT NULL AND ${holding}
    ) place
    JOIN ${personsAs('p')} ON p.id = place.person_id ${accessJoins('place.account_id')}
    ORDER BY place.account_id <> $1, place.account_id, ${emailOrder('p')}`,
    [account, policy, isEveryones],
  )
  const services = await pool.query<AccessRow>(
    `SELECT ${accessColumnsOfIdentity('holder')} FROM ${identitiesAs('holder')}
    LEFT JOIN ${personsAs('p')} ON p.id = holder.person_id ${accessJoins('holder.account_id', 'i.id = holder.id')}
    WHERE holder.service_name IS NOT NULL AND ${holding}
    ORDER BY holder.account_id <> $1, holder.account_id, holder.service_name_key`,
    [account, policy, isEveryones],
  )
  return [...persons.rows.map(readAccessRow), ...services.rows.map((row) => asProgram(readAccessRow(row)))]
}
