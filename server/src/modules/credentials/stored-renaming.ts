import { readColumnList, writeColumnList } from '@portico/contract/column-list'
import { type FieldNameForm, fieldNameParts } from '@portico/contract/field-name-parts'
import { isObject, type Pipeline, type Row } from '@portico/domain/pipeline/pipeline'
import { formatPipeline, parsePipelineText, readPipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { type FieldRename, hasOtherNames, nameAfter, renameField } from '@portico/domain/pipeline/rename-field'
import type { RequestParts } from '#platform/http/context.ts'
import type { ActsAs, StoredCell, StoredRequest } from './acts-as.service.ts'

// Stored requests are judged by conditions of policies. A new name of a field is written into both by the name alone, so
// that no condition judges a request otherwise than before. Everything without the name is returned as it is.

/** A new name of a field, and new digests of row rules by the digests before. */
export type RequestRename = FieldRename & { rules: ReadonlyMap<string, string> }

/** Returns the right of something stored with the new name of a field in the requests by which it is judged. */
export function renameInActsAs(actsAs: ActsAs, rename: RequestRename): ActsAs {
  const { cron, cells } = actsAs
  return withChanged(renameInRequest(actsAs, rename), {
    rule: ruleAfter(actsAs, rename),
    cron: cron && renameInRequest(cron, rename),
    cells: cells && mapSame(cells, (cell) => renameInCell(cell, rename)),
  })
}

function renameInCell(cell: StoredCell, rename: RequestRename): StoredCell {
  return withChanged(renameInRequest(cell, rename), {
    rule: ruleAfter(cell, rename),
    searches: mapSame(cell.searches, (request) => renameInRequest({ call: 'listOffers', request }, rename).request),
  })
}

const ruleAfter = ({ rule }: { rule?: string }, { rules }: RequestRename): string | undefined =>
  rule === undefined ? undefined : (rules.get(rule) ?? rule)

/** Returns a stored request with the new name of a field in the parts that name fields (`fieldNameParts`). */
export function renameInRequest<Stored extends { call: StoredRequest['call'] | 'listOffers'; request: RequestParts }>(
  stored: Stored,
  rename: FieldRename,
): Stored {
  const { request } = stored
  const { body = {}, query = {} } = fieldNameParts[stored.call] ?? {}
  const renamed = withChanged(request, {
    body: renameAtPaths(request.body, body, rename),
    query: renameAtPaths(request.query, query, rename),
  })
  return renamed === request ? stored : { ...stored, request: renamed }
}

function renameAtPaths(value: unknown, paths: Readonly<Record<string, FieldNameForm>>, rename: FieldRename): unknown {
  return Object.entries(paths).reduce(
    (before, [path, form]) => changeAt(before, path.split('.'), (named) => renameIn(named, form, rename)),
    value,
  )
}

/** Changes the values at a path, in which `*` stands for any key; lists on the way are followed into each item. */
function changeAt(value: unknown, path: readonly string[], change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  if (Array.isArray(value)) return mapSame(value, (item) => changeAt(item, path, change))
  if (!isObject(value)) return value
  const names = Object.keys(value).filter((name) => key === '*' || name === key)
  return withChanged(value, Object.fromEntries(names.map((name) => [name, changeAt(value[name], rest, change)])))
}

function renameIn(value: unknown, form: FieldNameForm, rename: FieldRename): unknown {
  switch (form) {
    case 'name':
      if (typeof value === 'string') return nameAfter(rename, value)
      return Array.isArray(value) ? mapSame(value, (item) => renameIn(item, form, rename)) : value
    case 'list':
      return typeof value === 'string' ? renameInList(value, rename) : renameIn(value, 'name', rename)
    case 'keys':
    case 'edits':
    case 'headers':
      return isObject(value) ? renameKeys(value, rename) : value
    case 'stages':
      return renameInStages(value, rename)
    case 'text':
      return value
  }
}

function renameInList(text: string, rename: FieldRename): string {
  const names = readColumnList(text)
  if (names === null) return text
  const renamed = mapSame(names, (name) => nameAfter(rename, name))
  return renamed === names ? text : writeColumnList(renamed)
}

function renameKeys(value: Row, rename: FieldRename): Row {
  const entries = Object.entries(value).map(([name, inner]) => [nameAfter(rename, name), inner] as const)
  const isSame = Object.keys(value).every((name, at) => name === entries[at]?.[0])
  return isSame ? value : Object.fromEntries(entries)
}

/**
 * Stages, also as text. Each is renamed as if it stood alone: conditions read the names in it, whatever the stages and
 * saved filters before it make of them.
 */
function renameInStages(value: unknown, rename: FieldRename): unknown {
  const pipeline = typeof value === 'string' ? parsePipelineText(value) : readPipeline(value)
  if (!pipeline) return value
  const renamed: Pipeline = pipeline.flatMap((stage) => renameField([stage], rename).pipeline)
  if (!hasOtherNames(pipeline, renamed)) return value
  return typeof value === 'string' ? formatPipeline(renamed) : writePipeline(renamed)
}

/** The list itself if no item changes. */
function mapSame<Item>(items: Item[], change: (item: Item) => Item): Item[] {
  const changed = items.map(change)
  return changed.every((item, at) => item === items[at]) ? items : changed
}

/** The object itself if no value changes. */
function withChanged<Of extends object>(before: Of, change: { [Name in keyof Of]?: Of[Name] | undefined }): Of {
  const changed = Object.entries(change).filter(([name, value]) => value !== before[name as keyof Of])
  return changed.length === 0 ? before : { ...before, ...Object.fromEntries(changed) }
}
