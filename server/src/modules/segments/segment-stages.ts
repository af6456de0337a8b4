import type { Stages } from '@portico/contract/filter'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { takeChoosing } from '@portico/domain/pipeline/search-rows'

/** The stages that name a segment. */
export const naming = (id: string): Stages => [{ $predefined: id }]

/** The part of a filter, without names of others, that chooses the people of a segment: a grouping, order or limit after it is left out. */
export const choosingStages = (expanded: Stages): Pipeline => takeChoosing(parsePipeline(expanded))
