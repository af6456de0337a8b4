import type { contactsApi, Field, Offer } from '@portico/contract/contacts'
import type { exportsApi } from '@portico/contract/exports'
import type { identitiesApi, Identity } from '@portico/contract/identities'
import type { importsApi } from '@portico/contract/imports'
import type { SavedFilterEntry, savedFiltersApi } from '@portico/contract/saved-filters'
import type { User } from '@portico/contract/sign-in'
import { matching } from '@portico/domain/pipeline/match-json'
import type { ComponentProps, ComponentType } from 'react'
import IconAddressBook from '#icons/IconAddressBook'
import IconDatabaseExport from '#icons/IconDatabaseExport'
import IconDatabaseImport from '#icons/IconDatabaseImport'
import IconUsersGroup from '#icons/IconUsersGroup'
import IconUser from '#icons/IconUser'
import { activityPath } from '#domain/activity'
import { contactLabel } from '#domain/fields'
import { jobFilterStages } from '#domain/job-lists'
import { call, type RouteLine } from '#lib/api/api.ts'
import { fetchPage } from '#lib/api/lists.ts'
import { queryClient } from '#lib/api/query-client.ts'
import { paths } from '#lib/paths.ts'
import { mayOpen } from '../../access.ts'

// As the contract has them. Importing its tables would add the schema library to the palette.
const lines: {
  imports: RouteLine<(typeof importsApi)['listImports']>
  exports: RouteLine<(typeof exportsApi)['listExports']>
  suggestions: RouteLine<(typeof contactsApi)['suggestOffers']>
  fields: RouteLine<(typeof contactsApi)['listFields']>
  savedFilters: RouteLine<(typeof savedFiltersApi)['listSavedFilters']>
  identities: RouteLine<(typeof identitiesApi)['listIdentities']>
} = {
  imports: { method: 'GET', path: '/contact-service/v1/imports' },
  exports: { method: 'GET', path: '/contact-service/v1/exports' },
  suggestions: { method: 'GET', path: '/contact-service/v1/offers/suggestions' },
  fields: { method: 'GET', path: '/contact-service/v1/fields' },
  savedFilters: { method: 'GET', path: '/contact-service/v1/rdls' },
  identities: { method: 'GET', path: '/identity/v1/identities' },
}

const shownAtMost = 5

type Icon = ComponentType<ComponentProps<typeof IconUser>>

/** A found record, and the page that shows it. */
export type FoundRecord = { id: string; label: string; description?: string; path: string }

export type RecordKind = {
  heading: string
  Icon: Icon
  /** Begins the keys of its queries: a change of these records also refreshes the results. */
  noun: string
  fewestCharacters: number
  /** Whether the user may open the screen that lists these records. */
  isListed: (user: User) => boolean
  find: (text: string, signal: AbortSignal) => Promise<FoundRecord[]>
}

/** The kinds of records that the palette finds, in display order. */
export const recordKinds: RecordKind[] = [
  {
    heading: 'Imports',
    Icon: IconDatabaseImport,
    noun: 'imports',
    fewestCharacters: 2,
    isListed: (user) => mayOpen(paths.imports(), user),
    find: async (text, signal) => (await fetchPage(lines.imports, byName(text), signal)).map(asJob('import')),
  },
  {
    heading: 'Exports',
    Icon: IconDatabaseExport,
    noun: 'exports',
    fewestCharacters: 2,
    isListed: (user) => mayOpen(paths.exports(), user),
    find: async (text, signal) => (await fetchPage(lines.exports, byName(text), signal)).map(asJob('export')),
  },
  {
    heading: 'Contacts',
    Icon: IconAddressBook,
    noun: 'contacts',
    // Two letters begin a word of too many contacts to be useful.
    fewestCharacters: 3,
    isListed: (user) => mayOpen(paths.contacts(), user),
    find: findContacts,
  },
  {
    heading: 'Segments',
    Icon: IconUsersGroup,
    noun: 'saved filters',
    fewestCharacters: 2,
    isListed: (user) => mayOpen(paths.segments(), user),
    find: async (text, signal) =>
      firstWith(text, await fetchSavedFilters(signal), ({ name }) => name).map(asSavedFilter),
  },
  {
    heading: 'People',
    Icon: IconUser,
    noun: 'identities',
    fewestCharacters: 2,
    isListed: (user) => mayOpen(paths.identities(), user),
    find: async (text, signal) => firstWith(text, await fetchIdentities(signal), namesOf).map(asPerson),
  },
]

/** The full-text search of all contacts. It may take a while and is therefore never run while typing. */
export function contactSearch(text: string): FoundRecord {
  const filter = JSON.stringify(matching({ $text: { $search: text } }))
  return {
    id: 'search contacts',
    label: `Search contacts for “${text}”`,
    path: paths.contacts({ filter }),
  }
}

const byName = (text: string) => ({ find: jobFilterStages({ name: text, status: null }), pageSize: shownAtMost })

const asJob =
  (kind: 'import' | 'export') =>
  ({ _id, name }: { _id: string; name: string }): FoundRecord => ({
    id: `${kind} ${_id}`,
    label: name,
    path: activityPath({ kind, name }),
  })

/**
 * The server suggests contacts where that is fast: by the full-text index if it is up to date, by indexed fields that
 * begin with the text, or by reading the texts of a small account. It never reads all contacts of a large one.
 */
async function findContacts(text: string, signal: AbortSignal): Promise<FoundRecord[]> {
  const [offers, fields] = await Promise.all([
    call(lines.suggestions, { text, limit: shownAtMost }, { signal }),
    fetchFields(signal),
  ])
  return offers.map((offer) => asContact(offer, fields, text))
}

function asContact(offer: Offer, fields: readonly Field[], text: string): FoundRecord {
  const label = contactLabel(offer, fields)
  const description = matchingValue(offer, fields, text, label)
  return {
    id: `contact ${offer._id}`,
    label,
    ...(description && { description }),
    path: paths.contact(offer._id),
  }
}

/** The value that explains the match, or distinguishes contacts of the same name: shown next to the label. */
function matchingValue(offer: Offer, fields: readonly Field[], text: string, label: string): string | undefined {
  const words = text.toLowerCase().split(/\s+/)
  const values = fields.map(({ name }) => offer[name]).filter((value) => typeof value === 'string')
  const others = values.filter((value) => value !== '' && !label.includes(value))
  return (
    others.find((value) => words.some((word) => value.toLowerCase().includes(word))) ??
    others.find((value) => value.includes('@'))
  )
}

const asSavedFilter = ({ _id, name }: SavedFilterEntry): FoundRecord => ({
  id: `filter ${_id}`,
  label: name,
  path: paths.segment(_id),
})

const namesOf = ({ userName, email }: Identity): string => `${userName ?? ''}\n${email}`

const asPerson = ({ _id, email, serviceName, userName }: Identity): FoundRecord => ({
  id: `person ${_id}`,
  label: userName ?? serviceName ?? email,
  ...(userName !== null && { description: email }),
  path: paths.identities({ search: email }),
})

const firstWith = <T>(text: string, items: readonly T[], textOf: (item: T) => string): T[] =>
  items.filter((item) => textOf(item).toLowerCase().includes(text.toLowerCase())).slice(0, shownAtMost)

const listFreshMs = 60_000

/** A list that the server returns in full. Recent results of its screen or of an earlier text are reused. */
async function wholeList<T>(queryKey: string[], fetch: () => Promise<T[]>): Promise<T[]> {
  const { data, dataUpdatedAt = 0, isInvalidated = true } = queryClient.getQueryState<T[]>(queryKey) ?? {}
  if (data && !isInvalidated && Date.now() - dataUpdatedAt < listFreshMs) return data
  const list = await fetch()
  queryClient.setQueryData(queryKey, list)
  return list
}

const fetchFields = (signal: AbortSignal) => wholeList(['fields'], () => call(lines.fields, {}, { signal }))

const fetchSavedFilters = (signal: AbortSignal) =>
  wholeList(['saved filters'], () => call(lines.savedFilters, {}, { signal }))

const fetchIdentities = (signal: AbortSignal) => wholeList(['identities'], () => call(lines.identities, {}, { signal }))
