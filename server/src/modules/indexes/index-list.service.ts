import type { AccountId } from '@portico/contract/accounts'
import type { IndexDetails, IndexKey } from '@portico/contract/indexes'
import { type ContactField, hasContacts, listContactFields } from '#contacts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { maySearchBy } from '#search'
import { withoutExample } from './broken-index.service.ts'
import { columnsOf, keyOf } from './index-key.ts'
import {
  type BuildProgress,
  type IndexStatistics,
  selectBuildProgress,
  selectStatistics,
} from './index-statistics.queries.ts'
import { selectLastSearches } from './field-searches.queries.ts'
import { type IndexRow, selectIndexes, selectTrigramIndexes } from './indexes.queries.ts'
import { type InternalIndex, internalIndexes } from './internal-indexes.ts'
import { type IndexColumn, physicalName, prefixName, trigramName } from './physical-indexes.queries.ts'

/** Returns the indexes by name, for existing clients: including those being built, without failed ones and those that the portal keeps. */
export async function listIndexes(db: Db, account: AccountId): Promise<Record<string, IndexKey>> {
  const entries = internalIndexes.map(({ name, field }): [string, IndexKey] => [name, [[field, 1]]])
  for (const { row, columns } of await catalogue(db, account)) {
    if (row.state !== 'failed') entries.push([row.name, keyOf(columns)])
  }
  return Object.fromEntries(entries)
}

/**
 * Returns all details of the indexes: built-in ones first, then those that the portal keeps, then those of users, oldest first. Values of contacts are named to
 * those who may search by these fields and see all contacts, otherwise only their number.
 */
export async function listIndexDetails(
  { db, caller }: { db: Db; caller: Pick<Caller, 'can' | 'rows'> },
  account: AccountId,
): Promise<IndexDetails[]> {
  const fields = await listContactFields(db, account)
  const tables = [...new Set([...internalIndexes, ...fields].map(({ table }) => table))]
  const statistics = await selectStatistics(db, account, tables)
  const progress = await selectBuildProgress(db, account, tables)
  const isEmpty = !(await hasContacts(db, account))
  const own = internalIndexes.map((index) => internalDetails(index, statistics.get(index.physicalName), isEmpty))
  // A prefix index shared by two indexes is counted with the first.
  const counted = new Set<string>()
  const custom = (await catalogue(db, account)).map(({ row, columns }) => {
    const parts = partsOf(row, columns).filter((name) => !counted.has(name))
    for (const name of parts) counted.add(name)
    const details = customDetails(row, columns, parts, statistics, progress)
    const names = columns.map(({ field }) => field.name)
    if (details.reason === null || maySearchBy(caller, names)) return details
    return { ...details, reason: withoutExample(details.reason) }
  })
  return [...own, ...(await keptDetails(db, account, { fields, statistics, progress })), ...custom]
}

async function keptDetails(
  db: Db,
  account: AccountId,
  { fields, statistics, progress }: Figures & { fields: readonly ContactField[] },
): Promise<IndexDetails[]> {
  const rows = await selectTrigramIndexes(db, account)
  if (rows.length === 0) return []
  const searches = await selectLastSearches(db, account)
  return rows.flatMap((row) => {
    const field = fields.find(({ id }) => id === row.field_1)
    const found = statistics.get(trigramName(row.id))
    const running = progress.get(trigramName(row.id))
    // While an account is loaded for the first time, the database has none.
    const state = row.state === 'ready' && found?.isValid !== true ? 'building' : row.state
    // Of a deleted field, about to be dropped.
    if (!field) return []
    return {
      ...plain,
      name: keptName(field.name),
      fieldName1: field.name,
      isKept: true,
      state,
      progress: state === 'building' ? (running ? shareDone(running) : 0) : null,
      sizeBytes: found ? found.sizeBytes : 0,
      uses: found ? found.uses : 0,
      lastSearchedOn: searches.get(field.id) ?? null,
    }
  })
}

/** How lists name the index that the portal keeps of a field. */
export const keptName = (field: string): string => `contains ${field}`

type Figures = { statistics: Map<string, IndexStatistics>; progress: Map<string, BuildProgress> }

/** The same for all internal indexes. */
const plain = {
  sortOrder1: 1,
  fieldName2: null,
  sortOrder2: null,
  unique: false,
  isInternal: true,
  isKept: false,
  lastSearchedOn: null,
  reason: null,
  progress: null,
  createdAt: null,
  creator: null,
} as const

type CatalogueEntry = { row: IndexRow; columns: IndexColumn[] }

async function catalogue(db: Db, account: AccountId): Promise<CatalogueEntry[]> {
  const fields = new Map<number, ContactField>()
  for (const field of await listContactFields(db, account)) fields.set(field.id, field)
  return (await selectIndexes(db, account)).map((row) => ({ row, columns: columnsOf(row, fields) }))
}

function partsOf(row: IndexRow, [first]: IndexColumn[]): string[] {
  return first?.field.type === 'string' ? [physicalName(row.id), prefixName(first.field)] : [physicalName(row.id)]
}

function internalDetails(index: InternalIndex, found: IndexStatistics | undefined, isEmpty: boolean): IndexDetails {
  // They are not built in an account without contacts.
  const isReady = isEmpty || found?.isValid === true
  return {
    ...plain,
    name: index.name,
    fieldName1: index.field,
    unique: index.isUnique,
    state: isReady ? 'ready' : 'building',
    sizeBytes: found ? found.sizeBytes : 0,
    uses: found ? found.uses : 0,
  }
}

function customDetails(
  row: IndexRow,
  columns: IndexColumn[],
  parts: string[],
  statistics: Map<string, IndexStatistics>,
  progress: Map<string, BuildProgress>,
): IndexDetails {
  const [first, second] = columns
  const found = parts.flatMap((name) => statistics.get(name) ?? [])
  const running = progress.get(physicalName(row.id))
  const isWhole = statistics.get(physicalName(row.id))?.isValid === true
  return {
    name: row.name,
    fieldName1: first?.field.name ?? '',
    sortOrder1: row.order_1,
    fieldName2: second?.field.name ?? null,
    sortOrder2: second?.order ?? null,
    unique: row.is_unique,
    isInternal: false,
    isKept: false,
    lastSearchedOn: null,
    state: row.state,
    reason: row.reason,
    // After that, only the prefix index is missing.
    progress: row.state === 'building' ? (isWhole ? 0.95 : running ? shareDone(running) * 0.9 : 0) : null,
    sizeBytes: sum(found.map(({ sizeBytes }) => sizeBytes)),
    uses: sum(found.map(({ uses }) => uses)),
    createdAt: row.created_at.toISOString(),
    creator: row.creator,
  }
}

/** Null when one of them is unknown. */
function sum(figures: (number | null)[]): number | null {
  return figures.reduce((total, figure) => (total === null || figure === null ? null : total + figure), 0)
}

// Start and end of the phases of CREATE INDEX CONCURRENTLY, as shares of the total time.
const phases: [begin: string, from: number, to: number][] = [
  ['building index: scanning', 0, 0.4],
  ['building index: sorting', 0.4, 0.6],
  ['building index: loading', 0.6, 0.8],
  ['waiting for writers before validation', 0.8, 0.8],
  ['index validation: scanning index', 0.8, 0.85],
  ['index validation: sorting', 0.85, 0.9],
  ['index validation: scanning table', 0.9, 1],
  ['waiting for', 1, 1],
]

/** 0 to 1. */
function shareDone({ phase, blocksDone, blocksTotal, tuplesDone, tuplesTotal }: BuildProgress): number {
  if (phase === 'waiting for writers before build') return 0
  const [, from = 0, to = 0] = phases.find(([begin]) => phase.startsWith(begin)) ?? []
  const share = tuplesTotal > 0 ? tuplesDone / tuplesTotal : blocksTotal > 0 ? blocksDone / blocksTotal : 0
  return from + (to - from) * Math.min(1, share)
}
