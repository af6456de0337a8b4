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
import { getFilterVersion, listFilterVersions } from './versions.service.ts'

export function savedFilterRoutes(app: FastifyInstance): void {
  serve(app, savedFiltersApi.listSavedFilters, ({ db, account }) => listSavedFilters(db, account))
  serve(app, savedFiltersApi.getSavedFilter, ({ db, account }, { id }) => getSavedFilter(db, account, id))
  serve(app, savedFiltersApi.createSavedFilter, ({ db, account, actor, caller }, { body }) =>
    createSavedFilter(db, account, actor, body, {
      caller,
      route: savedFiltersApi.createSavedFilter,
      params: {},
    }),
  )
  serve(app, savedFiltersApi.updateSavedFilter, ({ db, account, actor, caller }, { id, body }) => {
    const saver = { caller, route: savedFiltersApi.updateSavedFilter, params: { id } }
    return updateSavedFilter(db, account, actor, id, body, saver)
  })
  serve(app, savedFiltersApi.listFilterVersions, ({ db, account }, { id }) => listFilterVersions(db, account, id))
  serve(app, savedFiltersApi.getFilterVersion, ({ db, account }, { id, version }) =>
    getFilterVersion(db, account, id, version),
  )
  serve(app, savedFiltersApi.deleteSavedFilter, async ({ db, account, actor }, { id }) => {
    await deleteSavedFilter(db, account, actor, id)
    return null
  })
}
