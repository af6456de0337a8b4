import type { AccountId } from '@portico/contract/accounts'
import { listContactFields } from '#contacts'
import type { ActsAs } from '#credentials'
import { openContactSource } from '#filters'
import { listLookupIndexes } from '#indexes'
import { BoundedMap } from '#platform/memory/bounded-map.ts'
import { coalesce } from '#platform/coalesce.ts'
import type { Db } from '#platform/database.ts'
import { type AllowedSender, allowedSender } from '../caller-origin.ts'
import { lookupUnits } from '../lookup-units.ts'
import { selectAccesses } from '../remote-accesses.queries.ts'
import { indexState, type IndexFacts } from '../remote-accesses.service.ts'
import type { RemoteAccessRow } from '../tables.ts'
import { type ContactStatement, contactStatement } from './contact-statement.ts'

/** Versions that the account's remote accesses depend on, read with every request. */
export type AccountVersions = { fieldsVersion: number; accessVersion: number; timeZone: string }

/** A remote access in the form used to judge requests. */
export type PlannedAccess = {
  id: string
  allowed: AllowedSender
  /** Names of the authentication columns, folded and sorted. */
  names: string[]
  isPaused: boolean
  /** In ms; null never expires. */
  expiresAt: number | null
  /** Null while contacts cannot be looked up by an index. */
  statement: ContactStatement | null
  /** The right that it was saved with; null for the portal's own. */
  actsAs: ActsAs | null
}

/** The remote accesses of an account, oldest first, at certain versions of the account. */
export type DoorPlan = { versions: AccountVersions; accesses: PlannedAccess[] }

/** The plans that this process caches. A plan is used only while the account's versions match it. */
export type DoorPlans = {
  known: (account: AccountId) => DoorPlan | undefined
  load: (account: AccountId, versions: AccountVersions) => Promise<DoorPlan>
}

const mostPlans = 1000

export function createDoorPlans(db: Db): DoorPlans {
  const plans = new BoundedMap<AccountId, DoorPlan>(mostPlans)
  const load = coalesce(
    (account: AccountId, versions: AccountVersions) => `${account} ${JSON.stringify(versions)}`,
    async (account: AccountId, versions: AccountVersions) => {
      // Read after the versions, so it is at least as new as they are.
      const plan = { versions, accesses: await planAccesses(db, account, await selectAccesses(db, account)) }
      plans.set(account, plan)
      return plan
    },
  )
  return { known: (account) => plans.get(account), load }
}

export async function planAccesses(
  db: Db,
  account: AccountId,
  rows: readonly RemoteAccessRow[],
): Promise<PlannedAccess[]> {
  const source = await openContactSource(db, account, { rows: null })
  const facts: IndexFacts = {
    fields: await listContactFields(db, account),
    indexes: await listLookupIndexes(db, account),
  }
  return rows.map((row) => {
    const units = lookupUnits(facts.fields, row.authentication_columns)
    const isReady = indexState(facts, row.authentication_columns).state === 'ready'
    return {
      id: row.id,
      allowed: allowedSender({
        type: row.type,
        domainOrIp: row.domain_or_ip,
        includeSubDomains: row.include_sub_domains,
      }),
      names: units?.names.toSorted() ?? [],
      isPaused: row.is_paused,
      expiresAt: row.expires_at?.getTime() ?? null,
      statement: units && isReady ? contactStatement(db, source, units, row.public_columns) : null,
      actsAs: row.acts_as,
    }
  })
}

export function isAtVersions(plan: DoorPlan | undefined, versions: AccountVersions): plan is DoorPlan {
  return (
    plan?.versions.accessVersion === versions.accessVersion &&
    plan.versions.fieldsVersion === versions.fieldsVersion &&
    plan.versions.timeZone === versions.timeZone
  )
}
