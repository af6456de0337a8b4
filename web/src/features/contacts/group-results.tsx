import type { Field } from '@portico/contract/contacts'
import { contactsBehind } from '@portico/domain/pipeline/behind'
import { type Grouping, readShownGrouping } from '@portico/domain/pipeline/grouping'
import type { Pipeline, Row } from '@portico/domain/pipeline/pipeline'
import { Anchor } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'react-router'
import IconChartBar from '#icons/IconChartBar'
import { formatComputed, formatValue, groupChart, hasChart, keyText, leftOutNote } from '#domain/charts'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatNumber } from '#lib/formats.ts'
import type { useTableUrl } from '#lib/table/table-url.ts'
import { Chart } from '#ui/chart/chart.tsx'
import { type Column, DataTable } from '#ui/table/data-table.tsx'
import { EmptyState } from '#ui/feedback/empty-state.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { groupsAtMost, useGroups } from './contacts-queries.ts'
import { searchPath } from '#domain/results'
import css from './contacts-page.module.css'

type GroupResultsProps = {
  stages: Pipeline
  fields: readonly Field[]
  table: ReturnType<typeof useTableUrl>
  isDense: boolean
}

/** Groups of a search: a chart if there are enough, and a row for each group with a link to its contacts. */
export function GroupResults({ stages, fields, table, isDense }: GroupResultsProps) {
  const grouping = useMemo(() => readShownGrouping(stages, fields), [stages, fields])
  const groups = useGroups({ stages, sort: table.sort })
  const rows: Row[] | undefined = groups.data
  const names = rows?.[0]
    ? Object.keys(rows[0])
    : grouping
      ? [...grouping.keys.map(({ name }) => name), ...grouping.values]
      : []
  const numbered = useMemo(() => rows?.map((row, index) => ({ row, index })), [rows])
  const first = (table.page - 1) * table.pageSize
  const limit = limitOf(stages)
  return (
    <>
      {rows && grouping && hasChart(grouping, rows) && <GroupChart grouping={grouping} rows={rows} limit={limit} />}
      {rows?.length === limit && (
        <p
          className={css['note']}
        >{`The first ${formatCount(limit, 'group')} are shown. There may be more: the limit is ${formatNumber(limit)}.`}</p>
      )}
      <DataTable
        label="Groups"
        columns={names.map((name, index) => columnOf(name, index, { stages, fields, grouping, rows: rows ?? [] }))}
        records={groups.error ? [] : numbered?.slice(first, first + table.pageSize)}
        total={rows?.length}
        getRecordId={({ index }) => String(index)}
        getRecordLabel={({ index }) => `group ${index + 1}`}
        {...table}
        isStale={groups.isPlaceholderData}
        isDense={isDense}
        empty={<EmptyState icon={<IconChartBar size={22} />} title="No matching groups found." />}
        failure={
          groups.error ? (
            <FailureState message={messageOf(groups.error)} onRetry={() => void groups.refetch()} />
          ) : undefined
        }
      />
    </>
  )
}

/** Maximum number of groups shown. */
function limitOf(stages: Pipeline): number {
  const last = stages.at(-1)
  return last?.kind === 'limit' ? Math.min(last.rows, groupsAtMost) : groupsAtMost
}

type GroupChartProps = { grouping: Grouping; rows: readonly Row[]; limit: number }

function GroupChart({ grouping, rows, limit }: GroupChartProps) {
  const shown = useMemo(
    () => ({
      ...grouping,
      most: Math.min(limit, grouping.most ?? limit),
      // Of more groups the first are shown, in the order of the table.
      isRun: grouping.isRun === true && rows.length < groupsAtMost,
    }),
    [grouping, limit, rows],
  )
  const options = useMemo(() => groupChart(shown, rows), [shown, rows])
  const note = useMemo(() => leftOutNote(shown, rows), [shown, rows])
  const keys = grouping.keys.map(({ name }) => name).join(' and ')
  return (
    <div className={css['chart']}>
      <Chart label={`Column chart of ${grouping.values.join(', ')} by ${keys}`} options={options} followsSize />
      {note && <p className={css['note']}>{note}</p>}
    </div>
  )
}

type Numbered = { row: Row; index: number }
type Results = { stages: Pipeline; fields: readonly Field[]; grouping: Grouping | null; rows: readonly Row[] }

function columnOf(name: string, index: number, { stages, fields, grouping, rows }: Results): Column<Numbered> {
  const key = grouping?.keys.find((one) => one.name === name)
  const isNumeric = !key && rows.some((row) => typeof row[name] === 'number')
  return {
    key: name,
    title: name === '_id' && key ? key.field : name,
    isSortable: true,
    isRowHeader: index === 0,
    ...(isNumeric && { align: 'right' }),
    render: ({ row }) => {
      const value = row[name]
      const format = key ? key.format : grouping?.formats?.[name]
      const text = key
        ? keyText(value, key)
        : typeof value === 'number'
          ? formatComputed(value, format)
          : formatValue(value)
      const contacts = index === 0 && grouping ? contactsBehind(stages, row, fields) : null
      if (!contacts) {
        return (
          <span className={css['value']} title={formatValue(value, key?.type, format)}>
            {text}
          </span>
        )
      }
      return (
        <Anchor component={Link} to={searchPath(contacts)} size="sm" title="Show the contacts of this group">
          {text}
        </Anchor>
      )
    },
  }
}
