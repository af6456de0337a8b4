import type { Cron } from '@portico/contract/scheduler/crons'
import { foldName } from '@portico/domain/names'
import { Text, VisuallyHidden } from '@mantine/core'
import { formatDate } from '#lib/formats.ts'
import css from './cron-columns.module.css'
import { dayIn } from './day-in.ts'
import type { Column, TableSort } from '#ui/table/data-table-head.tsx'
import { CronActions } from './cron-actions.tsx'
import { StateDot, stateName } from './run-looks.tsx'

/** The columns of specification 1 §2. On a phone, a row's buttons are one menu, which stays in view. */
export const cronColumns = (onView: (id: string) => void, isPhone: boolean): Column<Cron>[] => [
  { key: 'name', title: 'Name', render: (cron) => <NameCell cron={cron} />, isSortable: true, isRowHeader: true },
  {
    key: 'cronDesc',
    title: 'Cron Description',
    render: ({ cronDesc }) => <span className={css['wrapped']}>{cronDesc}</span>,
  },
  {
    key: 'cronStart',
    title: 'Start Date',
    render: ({ cronStart, cronTZ }) => dayIn(cronStart, cronTZ),
    isSortable: true,
  },
  { key: 'cronEnd', title: 'End Date', render: ({ cronEnd, cronTZ }) => dayIn(cronEnd, cronTZ), isSortable: true },
  {
    key: 'cronRepeat',
    title: 'Repeat',
    render: ({ cronRepeat }) => cronRepeat ?? '',
    align: 'right',
    isSortable: true,
  },
  {
    key: 'notificationEmails',
    title: 'Emails',
    render: ({ notificationEmails }) => <span className={css['wrapped']}>{notificationEmails}</span>,
  },
  {
    key: 'actions',
    title: <VisuallyHidden>Actions</VisuallyHidden>,
    render: (cron) => <CronActions cron={cron} isPhone={isPhone} onView={onView} />,
    align: 'right',
    width: isPhone ? 48 : 132,
    isPinned: true,
  },
]

/** The name, with the result and time of the last run, and the reason if there is no next one. */
function NameCell({ cron: { name, lastRun, paused, nextRunAt, terminated } }: { cron: Cron }) {
  return (
    <div>
      <span>{name}</span>
      {lastRun && (
        <Text size="xs" c="dimmed" className={css['result'] ?? ''}>
          <StateDot state={lastRun.state} />
          <span>
            {stateName(lastRun.state)} {formatDate(lastRun.date)}
          </span>
        </Text>
      )}
      {nextRunAt === null && !paused && !terminated && (
        <Text size="xs" c="dimmed">
          No more runs
        </Text>
      )}
      {paused && (
        <Text size="xs" c="dimmed">
          Paused{paused.reason === '' ? '' : `: ${paused.reason}`}
        </Text>
      )}
    </div>
  )
}

/** Sorts crons by a column; those without a value come last. */
export function sortCrons(crons: Cron[], sort: TableSort | null): Cron[] {
  if (!sort) return crons
  const valueOf = (cron: Cron): string | number | null => {
    if (sort.field === 'cronRepeat') return cron.cronRepeat
    if (sort.field === 'cronEnd') return cron.cronEnd
    return sort.field === 'cronStart' ? cron.cronStart : foldName(cron.name)
  }
  const sign = sort.direction === 'asc' ? 1 : -1
  return crons.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return a === b ? 0 : a < b ? -sign : sign
  })
}
