import { windowedDates } from '@portico/contract/dashboards/dashboard-cells'
import { typeOf } from '@portico/domain/pipeline/grouping'
import type { DatedType } from '@portico/domain/scheduler/window-condition'
import { type ConsumerCode, dashboardIdOf } from '@portico/contract/scheduler/instructions'
import { useMemo } from 'react'
import { storedDefinition, useDashboard } from '#domain/dashboards'
import { useFields } from '#domain/fields'

/**
 * Whether a cron's window applies to days or moments: the date field of an export, or those that the date pickers of a
 * dashboard narrow. Moments until known.
 */
export function useWindowedDates(
  consumerCode: ConsumerCode,
  { dateField, url }: { dateField: string; url: string },
): readonly DatedType[] {
  const { data: fields } = useFields()
  const id = consumerCode === 'BI' ? dashboardIdOf(url) : null
  const { data: dashboard } = useDashboard(id)
  return useMemo(() => {
    if (!fields) return moments
    if (consumerCode === 'EXPORT') return typeOf(dateField, fields) === 'day' ? days : moments
    if (!dashboard) return moments
    return [...new Set(windowedDates({ definition: storedDefinition(dashboard), fields }).map(({ type }) => type))]
  }, [consumerCode, dateField, fields, dashboard])
}

const moments: readonly DatedType[] = ['date']
const days: readonly DatedType[] = ['day']
