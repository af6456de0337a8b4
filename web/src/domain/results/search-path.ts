import type { Stages } from '@portico/contract/filter'
import { paths } from '#lib/paths.ts'

/** The path of a search. */
export const searchPath = (stages: Stages): string =>
  paths.contacts(stages.length > 0 ? { filter: JSON.stringify(stages) } : {})
