import type { ExportDraft } from '@portico/contract/exports'
import type { NewIdentity } from '@portico/contract/identities'
import type { NewImport } from '@portico/contract/imports'
import type { ContactFile } from './contact-file.ts'
import type { Population } from './person.ts'
import type { SiteName } from './site.ts'

/** An account of the demo, with its data and jobs. */
export type DemoAccount = {
  name: string
  /** Name of the parent account, which comes earlier in the list. */
  parent: string | null
  timeZone: string
  population: Omit<Population, 'asOf' | 'seed'>
  imports: readonly DemoImport[]
  exports: readonly ExportDraft[]
  /** Policies and groups of the account and its sub-accounts. */
  access?: DemoAccess
  people: readonly DemoPerson[]
  services?: readonly DemoService[]
  /** Topic of the account's web site. */
  site: SiteName
}

export type DemoPolicy = { name: string; actions: readonly string[]; conditions?: readonly string[] }

export type DemoAccess = {
  policies: readonly DemoPolicy[]
  /** Group name → names of its policies. */
  groups: Readonly<Record<string, readonly string[]>>
}

/** A person with an identity in an account. */
export type DemoPerson = {
  name: string
  email: string
  /** Names of groups, global or of the parent account. */
  groups: readonly string[]
  /** Has not chosen a password yet. */
  isInvited?: true
  limits?: Partial<
    Pick<
      NewIdentity,
      'accessToAllSubAccounts' | 'isDisabled' | 'days' | 'daysEffect' | 'hours' | 'hoursEffect' | 'cidr'
    >
  >
}

/** A service identity of an account. */
export type DemoService = Pick<DemoPerson, 'name' | 'groups' | 'limits'> & {
  /** Number of API credentials; `isLastOff`: the last of them is inactive. */
  credentials: { count: number; isLastOff?: true }
}

export type DemoImport = {
  name: string
  file: ContactFile
  /** Was a mistake, and is undone. */
  isUndone?: true
  settings?: Partial<Omit<NewImport, 'name' | 'filePath' | 'fileDelimiter'>>
}

/** Settings of an account that identifies contacts by email and gives each a PURL. */
export const withPurl = {
  generatePURL: true,
  dedupHashMatching: true,
  purlColumns: ['First Name', 'Last Name'],
  dedupColumns: ['Email'],
} satisfies DemoImport['settings']

/** Settings of a file with coordinates of contacts. */
export const onTheMap = { latitudeColumn: 'Latitude', longitudeColumn: 'Longitude' } satisfies DemoImport['settings']

/** Returns a filter in the form of exports. */
export const stages = (...list: object[]): string => JSON.stringify(list)
