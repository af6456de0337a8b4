import type { Stages } from '@portico/contract/filter'
import {
  compilePipeline,
  type ContactFilterField,
  type ContactScope,
  type ContactSource,
  invalidFilter,
  type Pipeline,
} from '#filters'
import { invalidField } from '#platform/app-error.ts'

/** What an export gives: the fields, in order, and which contacts. */
export type ExportSelection = {
  fields: ContactFilterField[]
  pipeline: Pipeline
  /** The query of the filter: its FROM joins what `pipeline` needs. */
  matching: ContactScope
  /** The query of the file: its FROM joins what `fields` need. */
  written: ContactScope
  /** Whether every contact is given, in no order in particular. */
  isEverything: boolean
}

/**
 * Looks the fields up and compiles the filter.
 * @throws invalid_input naming a field that isn't there or is named twice; invalid_filter
 */
export function selectForExport(
  source: ContactSource,
  names: readonly string[],
  filter: string | null,
): ExportSelection {
  const written = source.scope()
  const fields = names.map((name) => {
    const field = written.resolve(name)
    if (!field) throw invalidField('exportFields', `Value is invalid! There is no field "${name}".`)
    return field
  })
  const seen = new Set<ContactFilterField>()
  for (const field of fields) {
    if (seen.has(field)) throw invalidField('exportFields', `Value is duplicate! "${field.name}" is named twice.`)
    seen.add(field)
  }
  const matching = source.scope()
  const stages = readStages(filter)
  const pipeline = compilePipeline(stages, matching.resolve, ['$match', '$sort', '$skip', '$limit', '$project'])
  const missing = pipeline.fields && fields.find((field) => !pipeline.fields?.includes(field))
  if (missing) throw invalidFilter(`"$project" leaves out "${missing.name}", which is to be exported.`)
  const { where, orderBy, skip, limit } = pipeline
  const isEverything = where === null && orderBy === null && skip === 0 && limit === null
  return { fields, pipeline, matching, written, isEverything }
}

function readStages(filter: string | null): Stages {
  if (filter === null) return []
  let stages: unknown
  try {
    stages = JSON.parse(filter)
  } catch (error) {
    throw invalidFilter(`The filter is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!Array.isArray(stages)) throw invalidFilter('Should be an array')
  return stages.map((stage: unknown) => {
    if (typeof stage !== 'object' || stage === null || Array.isArray(stage)) {
      throw invalidFilter('Each stage of a filter has exactly one operator.')
    }
    // Any object may be read by its keys; what they hold is looked at when the stage is compiled.
    return stage as Record<string, unknown>
  })
}
