import type { AccountId } from '@portico/contract/identity'
import { control, type Db } from '#platform/database.ts'

type IdentityTables = {
  identities: {
    id: string
    person_id: string
    account_id: AccountId | null
    access_to_all_sub_accounts: boolean
    is_disabled: boolean
  }
  identity_groups: { identity_id: string; group_id: string }
  groups: { id: string; is_admin: boolean }
}

export type NewIdentity = {
  id: string
  personId: string
  account: AccountId | null
  accessToAllSubAccounts: boolean
}

/** Answers false, and changes nothing, when the person has an identity there already. */
export async function insertIdentity(db: Db, identity: NewIdentity): Promise<boolean> {
  const inserted = await control<IdentityTables>(db)
    .insertInto('identities')
    .values({
      id: identity.id,
      person_id: identity.personId,
      account_id: identity.account,
      access_to_all_sub_accounts: identity.accessToAllSubAccounts,
      is_disabled: false,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export async function insertIdentityGroup(db: Db, identityId: string, groupId: string): Promise<void> {
  await control<IdentityTables>(db)
    .insertInto('identity_groups')
    .values({ identity_id: identityId, group_id: groupId })
    .execute()
}

/** Whether anybody is a power admin: has a global identity that belongs to a group of administrators. */
export async function selectHasPowerAdmin(db: Db): Promise<boolean> {
  const found = await control<IdentityTables>(db)
    .selectFrom('identities as i')
    .innerJoin('identity_groups as ig', 'ig.identity_id', 'i.id')
    .innerJoin('groups as g', 'g.id', 'ig.group_id')
    .select('i.id')
    .where('i.account_id', 'is', null)
    .where('i.is_disabled', '=', false)
    .where('g.is_admin', '=', true)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
