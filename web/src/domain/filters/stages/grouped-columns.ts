import type { Stages } from '@portico/contract/filter'
import { foldName } from '@portico/contract/names'

type Json = Record<string, unknown>
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The columns of the groups that stages make, in their order; null where they do not group. */
export function groupedColumnsOf(stages: Stages): string[] | null {
  if (!stages.some((stage) => '$group' in stage)) return null
  return stages.reduce<string[]>((columns, stage) => {
    const [[name, value] = ['', null]] = Object.entries(stage)
    return columnsAfter(columns, name, value)
  }, [])
}

/** Stages before a `$group` make no difference to its columns. */
function columnsAfter(columns: string[], name: string, value: unknown): string[] {
  if (name === '$count') return [String(value)]
  if (!isJson(value)) return columns
  if (name === '$group') return columnsOfGroup(value)
  if (name === '$addFields') return [...without(columns, Object.keys(value)), ...Object.keys(value)]
  return name === '$project' ? projected(columns, value) : columns
}

function columnsOfGroup({ _id: id, ...values }: Json): string[] {
  const isNamed = isJson(id) && !Object.keys(id).some((name) => name.startsWith('$'))
  const keys = isNamed ? Object.keys(id) : id === null ? [] : ['_id']
  const columns = [...keys, ...Object.keys(values)]
  return columns.length === 0 ? ['_id'] : columns
}

/** Either names what to leave out, or what to give; `_id` comes along unless it is left out. */
function projected(columns: string[], choices: Json): string[] {
  const left = Object.keys(choices).filter((name) => choices[name] === 0 || choices[name] === false)
  const given = without(Object.keys(choices), left)
  if (given.length === 0) return without(columns, left)
  return [...without(columns.includes('_id') ? ['_id'] : [], [...left, ...given]), ...given]
}

function without(names: string[], others: string[]): string[] {
  const gone = new Set(others.map(foldName))
  return names.filter((name) => !gone.has(foldName(name)))
}
