import { dashboardsApi } from '@portico/contract/dashboards'
import { savedFiltersApi } from '@portico/contract/saved-filters'
import { dashboardIdOf, dashboardUrlOf } from '@portico/contract/scheduler/instructions'
import { Select, SimpleGrid } from '@mantine/core'
import { useDashboard, useDashboards } from '#domain/dashboards'
import { useSavedFilters } from '#domain/filters'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { useMayCall } from '#lib/session/may-call.ts'
import type { FieldsProps } from './fields-props.ts'

/** The dashboard of a report, and the saved filter that narrows all its tables and charts. */
export function ReportSource(props: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <DashboardSelect {...props} />
      <SavedFilterSelect {...props} />
    </SimpleGrid>
  )
}

const gone = 'This dashboard was deleted, or is not shared with you.'

function DashboardSelect({ values: { url }, onChange, problems }: FieldsProps) {
  const id = dashboardIdOf(url)
  const isAllowed = useMayCall(dashboardsApi.listDashboards)
  const { data: list } = useDashboards()
  const { data: dashboard, error } = useDashboard(id)
  const options = (list ?? []).map(({ _id, name }) => ({ value: _id, label: name }))
  const isListed = id === null || options.some(({ value }) => value === id)
  const isGone = isApiError(error, 'not_found')
  const named = { value: id ?? '', label: dashboard?.name ?? (isGone ? 'Not available' : (id ?? '')) }
  const obstacle = isGone ? gone : error && messageOf(error)
  return (
    <Select
      label="Dashboard"
      withAsterisk
      searchable={isAllowed}
      allowDeselect={false}
      data={isListed ? options : [...options, named]}
      value={id}
      // Another dashboard has other tables and charts.
      onChange={(chosen) => {
        if (chosen !== null && chosen !== id) onChange({ url: dashboardUrlOf(chosen), cells: null })
      }}
      error={problems.get('instruction.url') ?? obstacle}
    />
  )
}

function SavedFilterSelect({ values: { rdl }, onChange, problems }: FieldsProps) {
  const isAllowed = useMayCall(savedFiltersApi.listSavedFilters)
  const { data } = useSavedFilters()
  // An existing cron may have a filter that this user cannot see.
  if (!isAllowed && rdl === null) return null
  const known = (data ?? []).map(({ _id, name }) => ({ value: _id, label: name }))
  return (
    <Select
      label="Saved filter"
      placeholder="None"
      data={rdl === null || known.some(({ value }) => value === rdl) ? known : [...known, { value: rdl, label: rdl }]}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'No saved filter' }}
      value={rdl}
      onChange={(chosen) => onChange({ rdl: chosen })}
      error={problems.get('instruction.rdl')}
    />
  )
}
