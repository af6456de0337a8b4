/** The filter builder: rows that people edit, their stages, and the sentence that says what they mean. */
export type { FilterTab } from './draft.ts'
export { FilterBuilder, FilterDialog } from './on-demand.ts'
export { useSavedFilter, useSavedFilters } from './filter-queries.ts'
export { readFilter, textOnly } from './stages/filter-of.ts'
export { emptyFilter, type Filter, type FilterField, filterFields } from './stages/filter.ts'
export { groupedColumnsOf } from './stages/grouped-columns.ts'
export { sentenceOf } from './stages/sentence-of.ts'
export {
  columnsOf,
  conditionIn,
  kindOf,
  orderOf,
  readStages,
  savedIdOf,
  type SearchKind,
  sortOf,
  whichOf,
  withoutColumns,
} from './stages/search-kind.ts'
export { FilterSentence, filterSentence } from './filter-sentence.tsx'
export { matchStagesOf, stagesOf } from './stages/stages-of.ts'
