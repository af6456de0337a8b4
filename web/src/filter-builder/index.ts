/** The filter builder: rows that people edit, the stages they stand for, and the sentence that says what they mean. */
export type { FilterTab } from './draft.ts'
export { FilterBuilder } from './filter-builder.tsx'
export { emptyFilter, type Filter, type FilterField, filterFields } from './filter.ts'
export { readFilter, textOnly } from './filter-of.ts'
export { useSavedFilter } from './filter-queries.ts'
export { groupedColumnsOf } from './grouped-columns.ts'
export { sentenceOf } from './sentence-of.ts'
export { groupColumns, matchStagesOf, stagesOf } from './stages-of.ts'
