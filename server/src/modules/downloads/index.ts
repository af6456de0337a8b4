/** Downloads: an account's finished files of every registered kind, their retention, and the storage they use. */
export { downloadRoutes } from './downloads.routes.ts'
export { storedBytes } from './downloads.service.ts'
export { removeExpiredFiles, sweepHourly } from './retention.service.ts'
