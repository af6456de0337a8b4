/** Lists of jobs: filters, live updates, progress and speed. */
export { CancelJobDialog } from './cancel-job-dialog.tsx'
export { DeliveryList } from './delivery-list.tsx'
export { describeNotification } from './describe-notification.ts'
export { JobFigure } from './job-figure.tsx'
export { type JobFilter, jobFilterStages, readJobFilter, useJobFilter, writeJobFilter } from './job-filter.ts'
export {
  formatByteSpeed,
  formatPercent,
  formatRecordSpeed,
  isRunning,
  jobTiming,
  pollWhileRunning,
  useSpeed,
  type WorkSample,
} from './jobs.ts'
export { JobListHeader } from './job-list-header.tsx'
export { useLiveList, useMarks } from './live-list.ts'
export { useLoadedAt } from './loaded-at.ts'
