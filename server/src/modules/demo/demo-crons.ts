import { addDays, type Day } from '@portico/domain/days'
import { expressionOf } from '@portico/domain/scheduler/cron-parts'
import { dashboardUrlOf } from '@portico/contract/scheduler/instructions'
import { momentOf } from '@portico/domain/scheduler/zone-offsets'
import type { SeededCron } from '#scheduler'
import type { DemoAccount } from './demo-account.ts'

/**
 * The crons of a demo account, one for each period: exports of its first list, and a report of a dashboard. `today` is
 * a day in the account's time zone.
 */
export function demoCrons({ exports, timeZone }: DemoAccount, today: Day, dashboard: string | null): SeededCron[] {
  const [list] = exports
  if (!list) return []
  const at = (time: { hour: number; minute: number }) => ({ period: 'Daily' as const, weekdays: [], days: [], ...time })
  const since = (days: number, cron: string) => ({ cron, cronTZ: timeZone, cronStart: addDays(today, -days) })
  const { notifications: _none, ...instruction } = list
  const ofExport = { consumer: 'EXPORT' as const, records: 240 }
  const once = addDays(today, -20)
  const onceMoment = new Date(momentOf(timeZone, Date.parse(`${once}T16:30:00Z`))).toISOString()
  const onceAt = { ...at({ hour: 16, minute: 30 }), period: 'Once' as const }
  return [
    {
      ...ofExport,
      name: 'Active last week, every workday',
      timing: since(
        45,
        expressionOf({ ...at({ hour: 6, minute: 15 }), period: 'Weekly', weekdays: [1, 2, 3, 4, 5] }, today),
      ),
      instruction: { ...instruction, name: 'Active last week', offset: '7' },
    },
    {
      ...ofExport,
      name: 'Nightly copy of the list',
      timing: since(30, expressionOf(at({ hour: 2, minute: 0 }), today)),
      instruction: { ...instruction, name: 'Nightly copy' },
    },
    {
      ...ofExport,
      name: 'Month-end list',
      timing: since(120, expressionOf({ ...at({ hour: 5, minute: 0 }), period: 'Monthly', days: [1, 31] }, today)),
      instruction: { ...instruction, name: 'Month-end list', offset: 'LM' },
    },
    {
      ...ofExport,
      name: 'Once, for the yearly meeting',
      timing: { cron: expressionOf(onceAt, once), cronTZ: timeZone, cronStart: onceMoment, cronRepeat: 1 },
      instruction: { ...instruction, name: 'For the yearly meeting' },
    },
    {
      ...ofExport,
      name: 'Former weekly list',
      timing: since(60, expressionOf({ ...at({ hour: 8, minute: 45 }), period: 'Weekly', weekdays: [5] }, today)),
      instruction: { ...instruction, name: 'Former weekly list' },
      isTerminated: true,
    },
    ...(dashboard === null ? [] : [boardReport(dashboard, since(60, '0 7 * * 1'))]),
  ]
}

const boardReport = (dashboard: string, timing: SeededCron['timing']): SeededCron => ({
  name: 'Monday report for the board',
  consumer: 'BI',
  timing,
  records: 36,
  instruction: {
    url: dashboardUrlOf(dashboard),
    offset: 'LW',
    download: {
      fileName: 'board-report',
      delimiter: 'comma',
      multipleFiles: false,
      zipped: false,
      addQuotes: false,
      overwrite: false,
    },
  },
})
