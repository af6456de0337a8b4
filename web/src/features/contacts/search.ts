import type { Stages } from '@portico/contract/filter'
import type { Sort } from '#lib/api/lists.ts'

/** What a search gives: contacts, by a filter or by a pipeline, or rows of a pipeline's own. */
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

/** The stages that say which contacts are meant: what exports and deletes take. */
export const whichOf = (stages: Stages): Stages => stages.filter((stage) => onlyWhich.includes(nameOf(stage)))

/** Whether a search looks for words, which the server may have to index first. */
export const searchesWords = (stages: Stages): boolean => JSON.stringify(stages).includes('"$text"')

/** The columns that a search asks for itself; none for the usual ones. */
export function columnsOf(stages: Stages): string[] {
  const project = stages.find((stage) => nameOf(stage) === '$project')?.['$project']
  if (typeof project !== 'object' || project === null) return []
  return Object.entries(project).flatMap(([name, value]) => (isShown(value) ? [name] : []))
}

/** The order that a search asks for itself. */
export function sortOf(stages: Stages): Sort | null {
  const sort = stages.findLast((stage) => nameOf(stage) === '$sort')?.['$sort']
  const [entry] = typeof sort === 'object' && sort !== null ? Object.entries(sort) : []
  return entry ? { field: entry[0], direction: entry[1] === -1 ? 'desc' : 'asc' } : null
}

/** Stages that came as text, from an address or a saved filter; null for anything else. */
export function readStages(text: string): Stages | null {
  try {
    const value: unknown = JSON.parse(text)
    const isStages = Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)
    // Checked as far as the contract says it.
    return isStages ? (value as Stages) : null
  } catch {
    return null
  }
}
