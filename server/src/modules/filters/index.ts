/**
 * The filter language: compiles stages of a MongoDB-style pipeline to SQL with parameters, over contacts or any table
 * that lists its fields. The API for other modules.
 */
export { type ContactFilterField, type ContactSource, openContactSource, openRetypedSource } from './contact-source.ts'
export { conditionsAfter } from './filter-after.ts'
export { compileAggregate } from './filter-aggregate.ts'
export {
  type FieldPattern,
  type FieldResolver,
  type FilterField,
  type FilterType,
  invalidFilter,
  isDated,
  requireField,
  type Sql,
} from './filter-field.ts'
export { type Order, orderTerms, selectLevel } from './filter-level.ts'
export { outputOf, type PipelineOutput } from './filter-output.ts'
export { compilePipeline, compileSort, pageStages, readSort } from './filter-pipeline.ts'
export { compileEventRows, dropExclusions, endsInCount, leftOut, thenSelect } from './filter-rows.ts'
export { expandPredefined, type FindPredefined } from './predefined.ts'
export { countRows } from './row-list.queries.ts'
export { type ListedTable, listRows } from './row-list.service.ts'
export { type RowsSummary, readSeen } from './seen-values.ts'
export { searchableText, textVector, wordsVersion } from './filter-text.ts'
export { isServedByTrigrams } from './trigram-patterns.ts'
export { selectTextOrder } from './text-order.queries.ts'
export { requireAllContacts } from './row-rule.ts'
export { checkRowRule, requireVisible, selectVisible } from './visible-contacts.queries.ts'
export { type QueryContext, toUserError, userQuery } from './user-query.ts'
