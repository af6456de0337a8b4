import { usesFullText } from '@portico/domain/pipeline/full-text'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { isChoice } from '@portico/domain/pipeline/row-rules'
import { Stages } from './filter.ts'
import { messages } from './messages.ts'

/** Message for a rule that does more than choose contacts. */
export const rowRuleProblem = 'Choose contacts by their fields, events and location: other filters cannot be a rule.'

/**
 * Stages that choose the contacts an identity may see. Saved filters and full-text search are refused: the former could
 * be changed by the people whom it restricts, the latter depends on an index. An empty list is no rule.
 */
export const RowRule = Stages.transform((stages, context) => {
  if (!stages.every(isChoice) || usesFullText(parsePipeline(stages)))
    context.addIssue({ code: 'custom', message: rowRuleProblem })
  if (JSON.stringify(stages).length > maxRowRule) context.addIssue({ code: 'custom', message: messages.tooLarge })
  return stages.length === 0 ? null : stages
}).nullable()

const maxRowRule = 20_000
