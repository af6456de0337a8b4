import type { Cron } from '@portico/contract/scheduler/crons'
import type { Schedule, ScheduleDetails } from '@portico/contract/scheduler/schedules'

/** A cron of reports for tests, with the values given by the test. */
export const aCron = (part: Partial<Cron> = {}): Cron => ({
  _id: 'c1',
  version: 1,
  name: 'Weekly report',
  consumerCode: 'BI',
  notificationEmails: 'mara@example.com',
  cronTZ: 'UTC',
  cron: '30 9 * * 1-5',
  cronDesc: 'Every Monday to Friday at 9:30 AM, UTC time',
  cronStart: '2026-12-01',
  cronEnd: null,
  cronRepeat: 10,
  terminated: false,
  instruction: { url: '/api/contact-service/v1/dashboards/d1', offset: '30', download: { fileName: 'report' } },
  transferProtocol: 'sftp',
  ftpHost: 'files.example.com',
  ftpFolder: 'in',
  ftpPort: null,
  ftpUser: 'mara',
  createdAt: '2026-11-20T10:00:00.000Z',
  lastComletedScheduleId: null,
  nextScheduleId: null,
  author: 'mara.klein@example.com',
  paused: null,
  lastRun: null,
  nextRunAt: null,
  mayTakeOver: false,
  ...part,
})

/** A run for tests: completed, with the values given by the test. */
export function aRun(part: Partial<Schedule> = {}): Schedule {
  const scheduleDate = part.scheduleDate ?? new Date().toISOString()
  return {
    _id: '7',
    cron: { _id: 'c1', name: 'Weekly report', cronDesc: 'Every Monday to Friday at 9:30 AM, UTC time' },
    consumerCode: 'EXPORT',
    accountId: 1,
    scheduleDate,
    date: scheduleDate,
    status: 'completed',
    runSequence: 3,
    startDate: scheduleDate,
    endDate: scheduleDate,
    processedRecords: 48_213,
    recoveryCount: 1,
    fileTransferStatus: null,
    fileUrl: null,
    comment: null,
    omission: null,
    isRunNow: false,
    isBackfill: false,
    state: part.status ?? 'completed',
    ...part,
  }
}

export const runDetails = (part: Partial<ScheduleDetails> = {}): ScheduleDetails => ({
  ...aRun(part),
  attempts: [],
  deliveries: [],
  job: null,
  ...part,
})
