import type { NewExport } from '@portico/contract/exports'
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
  exports: readonly NewExport[]
  /** What its web site is about. */
  site: SiteName
}

export type DemoImport = {
  name: string
  file: ContactFile
  settings?: Partial<Omit<NewImport, 'name' | 'filePath' | 'fileDelimiter'>>
}

/** Settings of an account that knows its contacts by e-mail and gives each a PURL. */
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
