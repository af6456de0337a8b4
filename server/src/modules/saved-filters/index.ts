/** Saved filters: stages under a name, optionally shown in sub-accounts. The API for other modules. */
export { expandSaved, type FilterUse } from './expand-saved.service.ts'
export { savedFilterRoutes } from './saved-filters.routes.ts'
export { createSavedFilter, listSavedFilters, savedFilterStages } from './saved-filters.service.ts'
