/** Reports: the cells of a dashboard as files, for cron runs. Exports for other modules. */
export { reportRegistration } from './registration.ts'
export { reportConsumer } from './report-consumer.ts'
export { runReport } from './report-run.service.ts'
export { runReportJob } from './reports.jobs.ts'
export { reportTester } from './report-tester.ts'
