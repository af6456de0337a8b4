import type { ExportDraft } from '@portico/contract/exports'
import type { NewIdentity } from '@portico/contract/identities'
import type { NewImport } from '@portico/contract/imports'
import type { ContactFile } from './contact-file.ts'
import type { Population } from './person.ts'
import type { SiteName } from './site.ts'

/** An account of the demo, and what happens in it. */
export type DemoAccount = {
  name: string
  /** Name of the account above it, which stands before it in the list. */
  parent: string | null
  timeZone: string
  population: Omit<Population, 'asOf' | 'seed'>
  imports: readonly DemoImport[]
  exports: readonly ExportDraft[]
  /** What the account's policies and groups are, for itself and its sub-accounts. */
  access?: DemoAccess
  people: readonly DemoPerson[]
  /** What its web site is about. */
  site: SiteName
}

export type DemoPolicy = { name: string; actions: readonly string[]; conditions?: readonly string[] }

export type DemoAccess = {
  policies: readonly DemoPolicy[]
  /** Names of their policies by the names of the groups. */
  groups: Readonly<Record<string, readonly string[]>>
}

/** Someone with an identity in an account. */
export type DemoPerson = {
  name: string
  email: string
  /** Names of groups, global or of the account above. */
  groups: readonly string[]
  /** Has not chosen a password yet. */
  isInvited?: true
  /** How many API credentials they have, and whether the last of them is switched off. */
  credentials?: { count: number; isLastOff?: true }
  limits?: Partial<
    Pick<
      NewIdentity,
      'accessToAllSubAccounts' | 'isDisabled' | 'days' | 'daysEffect' | 'hours' | 'hoursEffect' | 'cidr'
    >
  >
}

export type DemoImport = {
  name: string
  file: ContactFile
  settings?: Partial<Omit<NewImport, 'name' | 'filePath' | 'fileDelimiter'>>
}

/** Settings of an account that knows its contacts by email and gives each a PURL. */
export const withPurl = {
  generatePURL: true,
  dedupHashMatching: true,
  purlColumns: ['First Name', 'Last Name'],
  dedupColumns: ['Email'],
} satisfies DemoImport['settings']

/** Settings of a file that says where contacts are. */
export const onTheMap = { latitudeColumn: 'Latitude', longitudeColumn: 'Longitude' } satisfies DemoImport['settings']

/** A filter as exports take it. */
export const stages = (...list: object[]): string => JSON.stringify(list)
