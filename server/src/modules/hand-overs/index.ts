/** Handing over what a person owns across accounts: dashboards, crons and saved filters. Owns no table. */
export { handOverRoutes } from './hand-overs.routes.ts'
