/** The scheduler: crons, which start work of other modules at due times, and their runs. Exports for other modules. */
export {
  type Consumer,
  type Consumers,
  type CronTester,
  type CronTesters,
  type CronTesting,
  type JobState,
  type KeptInstruction,
  type PresentSettings,
  type RunRefusal,
  type StartedRun,
  takingAny,
  type TestedCron,
} from './consumers.ts'
export { cronsPurpose } from './crons/cron-secrets.ts'
export { ownedCrons } from './crons/handing-over.service.ts'
export { sealedCronSecrets } from './crons/sealed-secrets.queries.ts'
export { seedCrons, type SeededCron } from './crons/seed-crons.service.ts'
export { schedulerRegistrations } from './registration.ts'
export { runDeliversAgain, runEnded } from './runs/run-end.service.ts'
export { runScheduler } from './runs/scheduler-loop.ts'
export { schedulerRoutes } from './scheduler.routes.ts'
