import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { formatPipeline } from '@portico/domain/pipeline/pipeline-json'
import { paths } from '#lib/paths.ts'

/** The path of a search. */
export const searchPath = (stages: Pipeline): string =>
  paths.contacts(stages.length > 0 ? { filter: formatPipeline(stages) } : {})
