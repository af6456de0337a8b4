import { Badge, Button, Text } from '@mantine/core'
import { Fragment, useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { type Event, eventDetails } from '#domain/results'
import { formatValue } from '#domain/charts'
import { useOlderEvents } from './contacts-queries.ts'
import css from './contact-page.module.css'

/** Number of events shown at first, and added with each "more". */
const portion = 50

/** Details shown in the row of an event; the rest opens below it. */
const told = ['event_code', 'event_date', 'app_code', 'event_path', 'is_trigger']

/** Events of a contact by day, latest first: those loaded with it, then older ones on request. */
export function ContactTimeline({ id, events: newest }: { id: string; events: readonly Event[] }) {
  const [limit, setLimit] = useState(portion)
  const isAtEnd = newest.length > portion && limit >= newest.length
  const { data: older = [], error, hasNextPage, fetchNextPage, refetch } = useOlderEvents(id, newest, isAtEnd)
  const events = [...newest, ...older]
  if (events.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No events are available.
      </Text>
    )
  }
  const shown = events.slice(0, limit).map((event) => ({ event, date: formatValue(event['event_date'], 'date') }))
  const showMore = (): void => {
    setLimit(limit + portion)
    if (hasNextPage && limit + portion >= events.length) void fetchNextPage()
  }
  const dayOf = (date: string | undefined): string => date?.split(' ')[0] ?? ''
  return (
    <>
      <ol className={css['timeline']} aria-label="Events, latest first">
        {shown.map(({ event, date }, index) => (
          <Fragment key={events.length - index}>
            {dayOf(date) !== dayOf(shown[index - 1]?.date) && <li className={css['day']}>{dayOf(date)}</li>}
            <TimelineEvent event={event} time={date.slice(dayOf(date).length + 1)} />
          </Fragment>
        ))}
      </ol>
      {(limit < events.length || hasNextPage) && (
        <Button variant="default" onClick={showMore}>
          {hasNextPage ? 'Show older events' : `Show more of ${formatCount(events.length, 'event')}`}
        </Button>
      )}
      {error && <FailureState message={messageOf(error)} onRetry={() => void refetch()} />}
    </>
  )
}

function TimelineEvent({ event, time }: { event: Event; time: string }) {
  const [isOpen, setOpen] = useState(false)
  const code = formatValue(event['event_code'])
  const where = [event['app_code'], event['event_path']].map((value) => formatValue(value)).filter(Boolean)
  const details = eventDetails(event, told)
  const isTrigger = event['is_trigger'] === true
  return (
    <li className={css['event']} data-trigger={isTrigger || undefined}>
      <div className={css['head']}>
        <Text size="sm" fw={600}>
          {code}
        </Text>
        {isTrigger && <Badge size="sm">trigger</Badge>}
        <span className={css['time']}>{time}</span>
        {details.length > 0 && (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-expanded={isOpen}
            aria-label={`Details of ${code} at ${time}`}
            onClick={() => setOpen(!isOpen)}
          >
            Details
          </Button>
        )}
      </div>
      {where.length > 0 && <p className={css['where']}>{where.join(' · ')}</p>}
      {isOpen && <DefinitionList columns={2} items={details} />}
    </li>
  )
}
