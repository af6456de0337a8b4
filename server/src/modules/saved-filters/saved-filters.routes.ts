import { savedFiltersApi } from '@portico/contract/saved-filters'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import {
  createSavedFilter,
  deleteSavedFilter,
  getSavedFilter,
  listSavedFilters,
  updateSavedFilter,
} from './saved-filters.service.ts'

export function savedFilterRoutes(app: FastifyInstance): void {
  serve(app, savedFiltersApi.listSavedFilters, ({ db, account }) => listSavedFilters(db, account))
  serve(app, savedFiltersApi.getSavedFilter, ({ db, account }, { id }) => getSavedFilter(db, account, id))
  serve(app, savedFiltersApi.createSavedFilter, ({ db, account, caller, address }, { body }) =>
    createSavedFilter(db, account, { email: caller.email, address }, body),
  )
  serve(app, savedFiltersApi.updateSavedFilter, ({ db, account, caller, address }, { id, body }) =>
    updateSavedFilter(db, account, { email: caller.email, address }, id, body),
  )
  serve(app, savedFiltersApi.deleteSavedFilter, async ({ db, account, caller, address }, { id }) => {
    await deleteSavedFilter(db, account, { email: caller.email, address }, id)
    return null
  })
}
