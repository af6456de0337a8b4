import type { Condition, Pipeline } from './pipeline.ts'

/** Whether a condition of the stages is a full-text search. A value or field that is merely called `$text` is none. */
export const usesFullText = (pipeline: Pipeline): boolean =>
  pipeline.some((stage) => stage.kind === 'match' && searchesWords(stage.condition))

const searchesWords = (condition: Condition): boolean =>
  condition.some((term) => {
    const isJoined = term.kind === 'and' || term.kind === 'or' || term.kind === 'nor'
    return isJoined ? term.of.some(searchesWords) : term.kind === 'words'
  })
