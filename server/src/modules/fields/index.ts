/** Fields: the catalogue of contact fields, which people keep: names, formats, and where each is used. */
export { fieldRoutes } from './fields.routes.ts'
