import { geocodingApi } from '@portico/contract/geocoding'
import type { FastifyInstance } from 'fastify'
import { serve } from '#platform/http/serving.ts'
import type { Services } from '#platform/services.ts'
import { createGeocoder } from './geocoding.service.ts'

export function geocodingRoutes(app: FastifyInstance, { config }: Pick<Services, 'config'>): void {
  const geocode = createGeocoder(config.geocoder)
  serve(app, geocodingApi.geocode, ({ caller, signal }, address) => geocode(caller.personId, address, signal))
}
