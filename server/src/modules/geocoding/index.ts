/** Geocoding of postal addresses, by the operator's service or the bundled gazetteer. */
export { geocodingRoutes } from './geocoding.routes.ts'
