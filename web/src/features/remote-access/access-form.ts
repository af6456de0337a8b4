import { readColumnList, writeColumnList } from '@portico/contract/column-list'
import type { Field } from '@portico/contract/contacts'
import { messages } from '@portico/contract/messages'
import type { NewRemoteAccess, RemoteAccess, RemoteAccessType } from '@portico/contract/remote-access'
import {
  domainOrIpProblem,
  plainDomainOrIp,
  internalAuthenticationColumns,
  isSensitiveColumn,
  neverPublicColumns,
  readAuthentication,
  writeAuthentication,
} from '@portico/contract/remote-access/rules'
import { dayOf, startOfDay } from '#lib/local-day.ts'

/** The form of a remote access. */
export type AccessValues = {
  type: RemoteAccessType
  domainOrIp: string
  includeSubDomains: boolean
  /** Authentication columns; null if none is chosen. */
  column: string | null
  column2: string | null
  publicColumns: string[]
  /** A `YYYY-MM-DD` day in the browser's time zone; empty for an access that never expires. */
  expiresOn: string
  isPaused: boolean
}

/** The form's initial values: empty for a new access. */
export function initialValues(access: RemoteAccess | null): AccessValues {
  const [column = null, column2 = null] = access ? authenticationOf(access) : []
  return {
    type: access?.type ?? 'domain',
    domainOrIp: access?.domainOrIp ?? '',
    includeSubDomains: access?.includeSubDomains ?? false,
    column,
    column2,
    publicColumns: access ? publicColumnsOf(access) : [],
    expiresOn: access?.expiresAt ? dayOf(access.expiresAt) : '',
    isPaused: access?.isPaused ?? false,
  }
}

/** Columns whose values the caller provides. */
export const authenticationOf = ({ filter }: Pick<RemoteAccess, 'filter'>): string[] => readAuthentication(filter) ?? []

/** Columns that the caller gets. */
export const publicColumnsOf = ({ publicColumns }: Pick<RemoteAccess, 'publicColumns'>): string[] =>
  readColumnList(publicColumns) ?? []

/** The chosen authentication columns. */
export const chosenColumns = ({ column, column2 }: Pick<AccessValues, 'column' | 'column2'>): string[] =>
  [column, column2].filter((name) => name !== null)

/** A column's label on the screen. */
export const columnLabel = (name: string): string => (name === '_id' ? 'ID' : name)

/** One column, or a pair as 'A & B'. */
export const columnsLabel = (names: readonly string[]): string => names.map(columnLabel).join(' & ')

/** Columns that can identify a contact; chosen ones stay, even if the account no longer has them. */
export function authenticationOptions(fields: readonly Field[], chosen: readonly string[]): string[] {
  if (fields.length === 0) return [...chosen]
  return [...new Set([...internalAuthenticationColumns, ...fields.map(({ name }) => name), ...chosen])]
}

/** Columns that can be public; chosen ones stay, even if the account no longer has them. */
export function publicOptions(fields: readonly Field[], chosen: readonly string[]): string[] {
  if (fields.length === 0) return [...chosen]
  const never: readonly string[] = neverPublicColumns
  return [...new Set([...fields.map(({ name }) => name), 'purl', ...chosen])].filter((name) => !never.includes(name))
}

const pastDay = 'Choose a date in the future.'

/** Problems by part of the form. `access` is the stored one, null for a new one. */
export function problemsOf(
  values: AccessValues,
  access: RemoteAccess | null,
): Partial<Record<keyof AccessValues, string>> {
  const domainOrIp = domainOrIpProblem(values.type, values.domainOrIp)
  const isStoredDay = values.expiresOn === initialValues(access).expiresOn
  const isPast = !isStoredDay && startOfDay(values.expiresOn) <= new Date()
  return {
    ...(domainOrIp !== null && { domainOrIp }),
    ...(values.column === null && { column: messages.required }),
    ...(values.publicColumns.length === 0 && { publicColumns: messages.required }),
    ...(values.expiresOn !== '' && isPast && { expiresOn: pastDay }),
  }
}

/** The request body of a valid form. */
export function toAccess(values: AccessValues, access: RemoteAccess | null): NewRemoteAccess {
  const { type, domainOrIp, includeSubDomains, publicColumns, expiresOn, isPaused } = values
  // A time stored by a program is kept to the second.
  const isStoredDay = expiresOn === initialValues(access).expiresOn
  const expiresAt = expiresOn === '' ? null : startOfDay(expiresOn).toISOString()
  return {
    type,
    domainOrIp: domainOrIp.trim(),
    includeSubDomains: type === 'domain' && includeSubDomains,
    filter: writeAuthentication(chosenColumns(values)),
    publicColumns: writeColumnList(publicColumns),
    expiresAt: isStoredDay ? (access?.expiresAt ?? null) : expiresAt,
    ...(access && { isPaused }),
  }
}

/** The part of the form that shows a problem found by the server; null if none does. */
export function partOf(field: string): keyof AccessValues | null {
  const parts: Record<string, keyof AccessValues> = {
    domainOrIp: 'domainOrIp',
    filter: 'column',
    publicColumns: 'publicColumns',
    expiresAt: 'expiresOn',
  }
  return parts[field] ?? null
}

/** Public columns that look personal. */
export const sensitiveOf = (names: readonly string[]): string[] => names.filter(isSensitiveColumn)

/**
 * Whether the form lets in more callers, finds contacts by other columns or shows more columns than the stored access.
 */
export function widens(values: AccessValues, access: RemoteAccess | null): boolean {
  if (!access) return true
  const stored = initialValues(access)
  return (
    values.type !== stored.type ||
    plainDomainOrIp(values.domainOrIp) !== plainDomainOrIp(stored.domainOrIp) ||
    (values.includeSubDomains && !stored.includeSubDomains) ||
    chosenColumns(values).toSorted().join('\0') !== chosenColumns(stored).toSorted().join('\0') ||
    values.publicColumns.some((name) => !stored.publicColumns.includes(name))
  )
}
