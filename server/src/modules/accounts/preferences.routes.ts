import { preferencesApi } from '@portico/contract/preferences'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import { selectPreferences } from './preferences.queries.ts'
import { type PreferenceChecks, setPreferences } from './preferences.service.ts'

export function preferenceRoutes(app: FastifyInstance, checks: PreferenceChecks): void {
  serve(app, preferencesApi.getAccountPreference, ({ db, account }) => selectPreferences(db, account))
  serve(app, preferencesApi.setAccountPreference, async (context, { body }) => ({
    Result: await setPreferences(context, checks, body),
  }))
}
