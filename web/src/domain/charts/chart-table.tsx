import type { ChartDisplay } from '@portico/contract/dashboards/cell-chart'
import { hasAxes } from '@portico/contract/dashboards/axis-kinds'
import type { CellKind } from '@portico/contract/dashboards/cell-kinds'
import { addRunning } from '@portico/domain/dashboards/running-values'
import type { FieldFormat } from '@portico/domain/field-format'
import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { Button } from '@mantine/core'
import { type MouseEvent, useMemo, useState } from 'react'
import { formatNumber } from '#lib/formats.ts'
import css from './drawn-chart.module.css'
import { exactComputed, formatComputed, formatValue } from './field-value.ts'
import { keyText } from './key-text.ts'
import { keysOf } from './options/chart-data.ts'
import type { Keys } from './options/chart-input.ts'

type ChartTableProps = {
  /** Says what the rows are. */
  caption: string
  grouping: Grouping
  rows: readonly Row[]
  kind?: CellKind | undefined
  /** Running values of charts with axes are columns besides their own. */
  display?: ChartDisplay | undefined
  /** There are more groups than the rows. */
  isCut?: boolean | undefined
  /** Groups that are marked. */
  chosen?: Keys | undefined
  /** The group that was chosen. Without it nothing can be. */
  onSelect?: ((keys: Keys, how: { isAdding: boolean }) => void) | undefined
  /** All rows at once, as for print. */
  isWhole?: boolean
}

/** Rows at first: drawing many takes long. */
const rowsAtFirst = 200

/** The rows of a chart as a table, for those who do not see the chart, or want its numbers. */
export function ChartTable({
  caption,
  kind,
  display,
  isCut = false,
  chosen,
  onSelect,
  isWhole = false,
  ...read
}: ChartTableProps) {
  const [isOpen, setOpen] = useState(isWhole)
  const { grouping, rows } = useMemo(
    () => addRunning(read.grouping, { rows: read.rows, isCut }, kind && hasAxes(kind) ? display?.running : undefined),
    [read.grouping, read.rows, isCut, kind, display],
  )
  const marked = useMemo(() => new Set(chosen?.map((keys) => JSON.stringify(keys))), [chosen])
  const shown = isOpen || isWhole ? rows : rows.slice(0, rowsAtFirst)
  const { keys, values } = grouping
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- nothing in it may take the focus: else no key scrolls it */}
      <section className={css['scroll']} aria-label={caption} tabIndex={0}>
        <table className={css['table']}>
          <caption>{caption}</caption>
          <thead>
            <tr>
              {keys.map(({ name, field }) => (
                <th key={name} scope="col">
                  {name === '_id' ? field : name}
                </th>
              ))}
              {values.map((name) => (
                <th key={name} scope="col" data-number>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => {
              const own = keysOf(grouping, row)
              const id = JSON.stringify(own)
              return <GroupRow key={id} {...{ grouping, row, isMarked: marked.has(id), onSelect }} />
            })}
          </tbody>
        </table>
      </section>
      {shown.length < rows.length && (
        <Button variant="subtle" onClick={() => setOpen(true)}>{`Show all ${formatNumber(rows.length)} rows`}</Button>
      )}
    </>
  )
}

type GroupRowProps = Pick<ChartTableProps, 'grouping' | 'onSelect'> & { row: Row; isMarked: boolean }

function GroupRow({ grouping, row, isMarked, onSelect }: GroupRowProps) {
  const { keys, values, formats } = grouping
  const choose = (event: MouseEvent): void => onSelect?.([keysOf(grouping, row)], { isAdding: event.shiftKey })
  return (
    <tr data-chosen={isMarked || undefined}>
      {keys.map((key, at) => {
        const text = keyText(row[key.name], key)
        if (at > 0) return <td key={key.name}>{text}</td>
        return (
          <th key={key.name} scope="row">
            {onSelect ? (
              <button type="button" className={css['choose']} aria-pressed={isMarked} onClick={choose}>
                {text}
              </button>
            ) : (
              text
            )}
          </th>
        )
      })}
      {values.map((name) => (
        <td key={name} data-number title={exactText(row[name], formats?.[name])}>
          {valueText(row[name], formats?.[name])}
        </td>
      ))}
    </tr>
  )
}

const valueText = (value: unknown, format: FieldFormat | undefined): string =>
  typeof value === 'number' ? formatComputed(value, format) : formatValue(value)

const exactText = (value: unknown, format: FieldFormat | undefined): string | undefined =>
  typeof value === 'number' ? exactComputed(value, format) : undefined
