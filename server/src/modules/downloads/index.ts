/** Downloads: the finished files of an account, for how long they are kept, and their removal. What other modules may use. */
export { downloadRoutes } from './downloads.routes.ts'
export { removeExpiredFiles, sweepHourly } from './retention.service.ts'
