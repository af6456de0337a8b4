import { type CellChart, ColumnFormat } from '@portico/contract/dashboards/cell-chart'
import { checkInput } from '@portico/contract/check-input'
import type { Field } from '@portico/contract/contacts'
import { Stack } from '@mantine/core'
import { useMemo, useState } from 'react'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { CellPreview } from '../cell-preview.tsx'
import css from '../chart-configuration-dialog.module.css'
import { problemsOf } from '../chart-problems.ts'
import { SaveButtons } from '../save-buttons.tsx'
import { FormatFields } from './format-fields.tsx'
import { formattedColumns } from './formatted-columns.ts'

type Formats = Record<string, ColumnFormat>

type FormatsDialogProps = {
  chart: CellChart
  fields: readonly Field[]
  /** Undefined without any format. */
  onSave: (formats: Formats | undefined) => void
  onClose: () => void
}

/** Edits the formats of a cell's columns, with the cell next to them. */
export function FormatsDialog({ chart, fields, onSave, onClose }: FormatsDialogProps) {
  const columns = useMemo(() => formattedColumns(chart, fields), [chart, fields])
  const [draft, setDraft] = useState<Formats>(chart.portico?.formats ?? {})
  const [isDirty, setDirty] = useState(false)
  const wrong = Object.values(draft).some((format) => Object.keys(problemsIn(format)).length > 0)
  const [shown, setShown] = useState(chart)

  function change(name: string, format: ColumnFormat | null): void {
    const { [name]: _before, ...others } = draft
    const next = format ? { ...others, [name]: format } : others
    setDraft(next)
    setDirty(true)
    // The preview keeps the last formats that are right.
    if (Object.values(next).every((each) => Object.keys(problemsIn(each)).length === 0)) {
      setShown({ ...chart, portico: { ...chart.portico, formats: next } })
    }
  }

  function submit(): void {
    if (wrong) return focusFirstProblem()
    onSave(Object.keys(draft).length > 0 ? draft : undefined)
    onClose()
  }

  return (
    <FormDialog title="Formats" width={1040} guard={{ isDirty, isBusy: false }} onClose={onClose}>
      <DialogForm onSubmit={submit} footer={<SaveButtons reason={null} onCancel={onClose} />}>
        <div className={css['sides']}>
          <Stack gap="lg">
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
function problemsIn(format: ColumnFormat): Record<string, string> {
  const read = checkInput(ColumnFormat, format)
  if (read.success) return {}
  return Object.fromEntries(read.error.issues.toReversed().map(({ path, message }) => [String(path[0]), message]))
}
