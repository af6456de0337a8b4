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
