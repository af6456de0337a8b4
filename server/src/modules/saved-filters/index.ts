/** Saved filters: stages under a name, optionally shown in sub-accounts. The API for other modules. */
export { expandSaved, type FilterUse, type Shown, UsedFilters } from './expand-saved.service.ts'
export { savedFilterFields } from './field-uses.ts'
export { ownedFilters } from './handing-over.service.ts'
export { savedFilterUses } from './filter-uses.queries.ts'
export { type DescribedFilter, selectDescribed } from './saved-filters.queries.ts'
export { savedFilterRoutes } from './saved-filters.routes.ts'
export { savedPipelines } from './saved-pipelines.service.ts'
export { judgeWithSaved, requireWithSaved } from './saved-stages.service.ts'
export {
  createSavedFilter,
  findSaved,
  listSavedFilters,
  namedStages,
  readableStages,
  readableWholes,
  savedFilterStages,
  searchWith,
} from './saved-filters.service.ts'
