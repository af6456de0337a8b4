import type { RemoteAccessUsage } from '@portico/contract/remote-access'
import { Alert, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useMemo } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { ChartTable, GroupChart } from '#domain/charts'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDate, formatNumber } from '#lib/formats.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { useUsage } from './remote-access-queries.ts'
import css from './remote-access.module.css'
import { callGrouping, counted, dayGrouping, figures, rowOf, totalOf, withGaps } from './usage-days.ts'

/** Outcomes are stacked: a column shows all calls of its day. */
const chartOptions = { height: 190, isStacked: 'true', legend: { position: 'top' } } as const

const proxyWarning =
  'Forwarded addresses come from a proxy that is not trusted, so all callers behind it share its address and its limits. Ask the operator to add the proxy to TRUSTED_PROXIES.'

/** Calls of a remote access in the last 30 days, and the origins it refused. */
export function Usage({ id }: { id: string }) {
  const { data, error, refetch } = useUsage(id)
  if (error) return <FailureState message={messageOf(error)} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={190} />
  return (
    <Stack gap="md">
      {data.hasUntrustedProxy && (
        <Alert color="yellow" role="note" icon={<IconAlertTriangle size={18} />}>
          {proxyWarning}
        </Alert>
      )}
      <Calls days={data.days} />
      <RefusedOrigins origins={data.refusedOrigins} />
    </Stack>
  )
}

function Calls({ days }: { days: RemoteAccessUsage['days'] }) {
  const drawn = useMemo(() => withGaps(days).map(rowOf), [days])
  const listed = useMemo(() => days.map(rowOf).toReversed(), [days])
  if (days.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No calls in the last 30 days.
      </Text>
    )
  }
  return (
    <>
      <DefinitionList
        label="Totals of 30 days"
        items={counted.map((key) => ({ term: figures[key], value: formatNumber(totalOf(days, key)) }))}
      />
      <div className={css['usage']}>
        <GroupChart
          label="Calls per day (UTC) by outcome"
          kind="Column"
          options={chartOptions}
          grouping={callGrouping}
          rows={drawn}
        />
        <ChartTable caption="Days with calls (UTC)" grouping={dayGrouping} rows={listed} />
      </div>
    </>
  )
}

function RefusedOrigins({ origins }: { origins: RemoteAccessUsage['refusedOrigins'] }) {
  if (origins.length === 0) return null
  return (
    <section aria-label="Refused origins">
      <Title order={2} size="h3">
        Refused origins
      </Title>
      <ul className={css['origins']}>
        {origins.map(({ origin, at, calls, refusal, text }) => (
          <li key={`${origin} ${refusal}`}>
            <b>{origin}</b>
            <span>{`${formatCount(calls, 'call')}, the last one ${formatDate(at)}. ${text}`}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
