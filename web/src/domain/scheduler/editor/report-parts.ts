import { deferred } from '#ui/page/deferred.tsx'

/** The dashboard of a report and the saved filter that narrows it. Exports load none of these parts. */
export const ReportSource = deferred(async () => (await import('./report-source.tsx')).ReportSource)

/** The contents of a report. */
export const ReportContent = deferred(async () => (await import('./report-content.tsx')).ReportContent)

/** A button that tests a part of a report before it is saved. */
export const CronTest = deferred(async () => (await import('./cron-test.tsx')).CronTest)
