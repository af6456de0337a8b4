import type { Stages } from '@portico/contract/filter'
import type { ChangedIdentity, NewIdentity } from '@portico/contract/identities'
import type { z } from 'zod'
import type { IdentityHolder, IdentityValues } from './identities.queries.ts'

export type IdentityDraft = z.output<typeof NewIdentity>
export type IdentityChange = z.output<typeof ChangedIdentity>

/** The values of a draft as they are stored. If it has no row rule, the one in `known` stays. */
export function valuesOf(draft: IdentityDraft, holder: IdentityHolder, known: Stages | null): IdentityValues {
  const { userName, accessToAllSubAccounts, isDisabled, days, daysEffect, hours, hoursEffect, cidr } = draft
  return {
    ...holder,
    // Forms send '' for empty fields.
    userName: userName || null,
    accessToAllSubAccounts,
    isDisabled,
    days,
    daysEffect: days.length > 0 ? (daysEffect ?? null) : null,
    hours: hours.toSorted((one, other) => one - other),
    hoursEffect: hours.length > 0 ? (hoursEffect ?? null) : null,
    cidr: cidr || null,
    rowRule: draft.rowRule === undefined ? known : draft.rowRule,
  }
}

/** The values of an identity that the audit log records. */
export function auditedValues(row: IdentityValues & { groups: readonly { name: string }[] }): Record<string, unknown> {
  const { userName, accessToAllSubAccounts, isDisabled, days, daysEffect, hours, hoursEffect, cidr, rowRule } = row
  const groups = row.groups.map(({ name }) => name).toSorted()
  const limits = { days, daysEffect, hours, hoursEffect, cidr, rowRule }
  return { groups, userName, accessToAllSubAccounts, isDisabled, ...limits }
}
