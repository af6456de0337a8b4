import type { Stages } from '@portico/contract/filter'
import type { Sort } from '#lib/api/lists.ts'

/** Results of a search: contacts found by a filter or by a pipeline, or rows that a pipeline makes. */
export type SearchKind = 'contacts' | 'pipeline' | 'rows'

const nameOf = (stage: Stages[number]): string => Object.keys(stage)[0] ?? ''

const onlyWhich = ['$match', '$predefined']
const ofContacts = [...onlyWhich, '$sort', '$project']
const makesRows = ['$group', '$count', '$unwind']

export function kindOf(stages: Stages): SearchKind {
  const names = stages.map(nameOf)
  if (names.some((name) => makesRows.includes(name)) || stages.some(computesColumns)) return 'rows'
  return names.every((name) => ofContacts.includes(name)) ? 'contacts' : 'pipeline'
}

/** A `$project` that does more than name columns. */
function computesColumns({ $project: project }: Stages[number]): boolean {
  return typeof project === 'object' && project !== null && Object.values(project).some((one) => !isShown(one))
}

const isShown = (value: unknown): boolean => value === 1 || value === true

/** The stages that choose contacts, for exports and deletes. */
export const whichOf = (stages: Stages): Stages => stages.filter((stage) => onlyWhich.includes(nameOf(stage)))

/** The columns that the stages choose; empty for the usual ones. */
export function columnsOf(stages: Stages): string[] {
  const project = stages.find((stage) => nameOf(stage) === '$project')?.['$project']
  if (typeof project !== 'object' || project === null) return []
  return Object.entries(project).flatMap(([name, value]) => (isShown(value) ? [name] : []))
}

/** The order that the stages ask for. */
export function sortOf(stages: Stages): Sort | null {
  const sort = stages.findLast((stage) => nameOf(stage) === '$sort')?.['$sort']
  const [entry] = typeof sort === 'object' && sort !== null ? Object.entries(sort) : []
  return entry ? { field: entry[0], direction: entry[1] === -1 ? 'desc' : 'asc' } : null
}

/** Parses stages of an address or a saved filter; null for any other text. */
export function readStages(text: string): Stages | null {
  try {
    const value: unknown = JSON.parse(text)
    const isStages = Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)
    // The contract defines no more than that.
    return isStages ? (value as Stages) : null
  } catch {
    return null
  }
}

/** The id of the saved filter that the stages consist of; null for any others. */
export function savedIdOf(stages: Stages): string | null {
  const [stage, ...more] = stages
  const id = stage?.['$predefined']
  return more.length === 0 && typeof id === 'string' ? id : null
}

/** The stages without their choice of columns. */
export const withoutColumns = (stages: Stages): Stages => stages.filter((stage) => nameOf(stage) !== '$project')

/** Stages for the order of a table; none without one. */
export const orderOf = (sort: Sort | null): Stages =>
  sort === null ? [] : [{ $sort: { [sort.field]: sort.direction === 'asc' ? 1 : -1 } }]

/** The condition of a `$match`; undefined for other stages. */
export const conditionIn = (stage: Stages[number] | undefined): unknown => stage?.['$match']
