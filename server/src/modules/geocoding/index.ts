/** Where postal addresses are: asked of the operator's geocoding service, or looked up in the gazetteer that comes along. */
export { geocodingRoutes } from './geocoding.routes.ts'
