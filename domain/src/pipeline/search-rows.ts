import { foldName } from '../names.ts'
import { readRowKind } from './grouping.ts'
import type { Pipeline, Row, Stage, StageKind } from './pipeline.ts'

/** Results of a search: contacts found by a filter or by a pipeline, or rows that a pipeline makes. */
export type SearchKind = 'contacts' | 'pipeline' | 'rows'

const choosing: StageKind[] = ['match', 'saved']
const listing: StageKind[] = [...choosing, 'sort', 'project']

/** Whether the stages do nothing but choose contacts. */
export const choosesContacts = (pipeline: Pipeline): boolean => pipeline.every(({ kind }) => choosing.includes(kind))

/** A stage that cannot be read is kept, and refused by the server: without it, more contacts would be deleted. */
const isChoosing = ({ kind }: Stage): boolean => kind === 'unread' || choosing.includes(kind)

/** The stages that choose contacts, for exports and deletes. */
export const pickChoosing = (pipeline: Pipeline): Pipeline => pipeline.filter(isChoosing)

/** The first stages, as far as they choose contacts: what follows works on what they find. */
export function takeChoosing(pipeline: Pipeline): Pipeline {
  const end = pipeline.findIndex((stage) => !isChoosing(stage))
  return end === -1 ? pipeline : pipeline.slice(0, end)
}

export function readSearchKind(pipeline: Pipeline): SearchKind {
  const makesRows = readRowKind(pipeline) !== 'contacts' || pipeline.some(({ kind }) => kind === 'count')
  if (makesRows || pipeline.some(computesColumns)) return 'rows'
  return pipeline.every(({ kind }) => listing.includes(kind)) ? 'contacts' : 'pipeline'
}

/** A choice of columns that does more than name them. */
const computesColumns = (stage: Stage): boolean =>
  stage.kind === 'project' && Object.values(stage.choices).some((choice) => !isShown(choice))

const isShown = (choice: unknown): boolean => choice === 1 || choice === true

/** The columns that the stages choose; empty for the usual ones. */
export function readColumns(pipeline: Pipeline): string[] {
  const stage = pipeline.find(({ kind }) => kind === 'project')
  return stage?.kind === 'project' ? Object.keys(stage.choices).filter((name) => isShown(stage.choices[name])) : []
}

/** The field by which the stages sort last, and how; null without an order. */
export function readSort(pipeline: Pipeline): { field: string; direction: 'asc' | 'desc' } | null {
  const stage = pipeline.findLast(({ kind }) => kind === 'sort')
  const [entry] = stage?.kind === 'sort' ? Object.entries(stage.order) : []
  return entry ? { field: entry[0], direction: entry[1] === -1 ? 'desc' : 'asc' } : null
}

/** The id of the saved filter that the stages consist of; null for any others. */
export function readSavedId(pipeline: Pipeline): string | null {
  const [stage, ...more] = pipeline
  return stage?.kind === 'saved' && more.length === 0 ? stage.id : null
}

/** The stages without their choice of columns. */
export const withoutColumns = (pipeline: Pipeline): Pipeline => pipeline.filter(({ kind }) => kind !== 'project')

/** The columns of the groups that stages make, in their order; null where they do not group. */
export function readGroupedColumns(pipeline: Pipeline): string[] | null {
  if (readRowKind(pipeline) !== 'groups') return null
  return pipeline.reduce<string[]>((columns, stage) => columnsAfter(columns, stage), [])
}

/** Stages before a group make no difference to its columns. */
function columnsAfter(columns: string[], stage: Stage): string[] {
  switch (stage.kind) {
    case 'count':
      return [stage.name]
    case 'group': {
      const names = [...stage.keys, ...stage.values].map(({ name }) => name)
      return names.length === 0 ? ['_id'] : names
    }
    case 'addFields':
      return [...without(columns, Object.keys(stage.fields)), ...Object.keys(stage.fields)]
    case 'project':
      return projected(columns, stage.choices)
    case 'match':
    case 'saved':
    case 'unwind':
    case 'sort':
    case 'skip':
    case 'limit':
    case 'unread':
      return columns
  }
}

/** Either names what to leave out, or what to give; `_id` comes along unless it is left out. */
function projected(columns: string[], choices: Row): string[] {
  const left = Object.keys(choices).filter((name) => choices[name] === 0 || choices[name] === false)
  const given = without(Object.keys(choices), left)
  if (given.length === 0) return without(columns, left)
  return [...without(columns.includes('_id') ? ['_id'] : [], [...left, ...given]), ...given]
}

function without(names: string[], others: string[]): string[] {
  const gone = new Set(others.map(foldName))
  return names.filter((name) => !gone.has(foldName(name)))
}
