/** Saved filters: stages kept under a name, shown in sub-accounts too if wanted. What other modules may use. */
export { savedFilterRoutes } from './saved-filters.routes.ts'
export { createSavedFilter, listSavedFilters, savedFilterStages } from './saved-filters.service.ts'
