import { geocodingApi } from '@portico/contract/geocoding'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http.ts'
import type { PortalParts } from '#platform/parts.ts'
import { createGeocoder } from './geocoding.service.ts'

export function geocodingRoutes(app: FastifyInstance, { config }: Pick<PortalParts, 'config'>): void {
  const geocode = createGeocoder(config.geocoder)
  serve(app, geocodingApi.geocode, ({ caller, signal }, address) => geocode(caller.personId, address, signal))
}
