import { type CellChart, ChartDisplay, ColumnFormat } from '@portico/contract/dashboards/cell-chart'
import { checkInput } from '@portico/contract/check-input'
import type { Field } from '@portico/contract/contacts'
import { hasAxes } from '@portico/contract/dashboards/axis-kinds'
import { isChartKind } from '@portico/contract/dashboards/cell-kinds'
import { isDateType } from '@portico/domain/field-types'
import { type Grouping, readShownGrouping } from '@portico/domain/pipeline/grouping'
import { parseFilter } from '@portico/contract/dashboards/dashboard-cells'
import type { z } from 'zod'
import { Stack } from '@mantine/core'
import { useMemo, useState } from 'react'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { CellPreview } from '../cell-preview.tsx'
import css from '../chart-configuration-dialog.module.css'
import { problemsOf } from '../chart-problems.ts'
import { SaveButtons } from '../save-buttons.tsx'
import { type DisplayDraft, DisplayFields } from './display-fields.tsx'
import { FormatFields } from './format-fields.tsx'
import { formattedColumns } from './formatted-columns.ts'

type Formats = Record<string, ColumnFormat>

type Saved = { formats: Formats | undefined; display: ChartDisplay | undefined }

type FormatsDialogProps = {
  chart: CellChart
  fields: readonly Field[]
  /** Each is undefined without any. */
  onSave: (saved: Saved) => void
  onClose: () => void
}

/** Edits the formats of a cell's columns, and how its chart shows the groups, with the cell next to them. */
export function FormatsDialog({ chart, fields, onSave, onClose }: FormatsDialogProps) {
  const columns = useMemo(() => formattedColumns(chart, fields), [chart, fields])
  const [draft, setDraft] = useState<Formats>(chart.portico?.formats ?? {})
  const [display, setDisplay] = useState<DisplayDraft>(chart.portico?.display ?? {})
  const [isDirty, setDirty] = useState(false)
  const wrong = Object.values(draft).some(isWrong) || checkDisplay(display) === null
  const [shown, setShown] = useState(chart)
  const kept = partsOf(chart, fields)

  function change(name: string, format: ColumnFormat | null): void {
    const { [name]: _before, ...others } = draft
    const next = format ? { ...others, [name]: format } : others
    setDraft(next)
    setDirty(true)
    // The preview keeps the last formats that are right.
    if (!Object.values(next).some(isWrong)) {
      setShown((now) => ({ ...now, portico: { ...now.portico, formats: next } }))
    }
  }

  function changeDisplay(next: DisplayDraft): void {
    setDisplay(next)
    setDirty(true)
    const right = checkDisplay(next)
    if (right) setShown((now) => ({ ...now, portico: { ...now.portico, display: right } }))
  }

  function submit(): void {
    const right = checkDisplay(display)
    if (wrong || !right) return focusFirstProblem()
    onSave({
      formats: Object.keys(draft).length > 0 ? draft : undefined,
      display: Object.keys(right).length > 0 ? right : undefined,
    })
    onClose()
  }

  return (
    <FormDialog title="Formats" width={1040} guard={{ isDirty, isBusy: false }} onClose={onClose}>
      <DialogForm onSubmit={submit} footer={<SaveButtons reason={null} onCancel={onClose} />}>
        <div className={css['sides']}>
          <Stack gap="lg">
            <DisplayFields {...kept} draft={display} problems={displayProblems(display)} onChange={changeDisplay} />
            {columns.map((name) => (
              <FormatFields
                key={name}
                name={name}
                format={draft[name] ?? null}
                problems={draft[name] ? problemsIn(draft[name]) : {}}
                onChange={(format) => change(name, format)}
              />
            ))}
          </Stack>
          <CellPreview chart={shown} problems={problemsOf(shown)} />
        </div>
      </DialogForm>
    </FormDialog>
  )
}

/** The first problem of each part of a format. */
const problemsIn = (format: ColumnFormat): Record<string, string> => problemsOfPart(ColumnFormat, format)

const isWrong = (format: ColumnFormat): boolean => Object.keys(problemsIn(format)).length > 0

const displayProblems = (draft: DisplayDraft): Record<string, string> => problemsOfPart(ChartDisplay, draft)

function problemsOfPart(schema: z.ZodType, value: unknown): Record<string, string> {
  const read = checkInput(schema, value)
  if (read.success) return {}
  return Object.fromEntries(read.error.issues.toReversed().map(({ path, message }) => [path.join('.'), message]))
}

/** Null while something is missing. */
function checkDisplay(draft: DisplayDraft): ChartDisplay | null {
  const read = checkInput(ChartDisplay, draft)
  return read.success ? read.data : null
}

/** Maps have neither axes nor an order; dates have one of their own. */
function partsOf(
  { type, filter }: CellChart,
  fields: readonly Field[],
): { hasAxes: boolean; hasGroups: boolean; grouping: Grouping | null } {
  const isDrawn = isChartKind(type) && type !== 'Geo'
  const grouping = isDrawn && filter ? readShownGrouping(parseFilter(filter), fields) : null
  const [key] = grouping?.keys ?? []
  return {
    hasAxes: hasAxes(type),
    hasGroups: key !== undefined && !isDateType(key.type),
    grouping: key ? grouping : null,
  }
}
