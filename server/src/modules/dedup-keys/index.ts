/** Computes dedup keys for contacts of before the first import with dedup columns. */
export { dedupKeyRoutes } from './dedup-keys.routes.ts'
export { runKeyComputation } from './key-computation-run.service.ts'
