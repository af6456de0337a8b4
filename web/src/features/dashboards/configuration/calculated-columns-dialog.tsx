import { type ColumnProblem, columnProblems } from '@portico/contract/dashboards/calculated-column-problems'
import { type CalculatedColumn, mostCalculatedColumns } from '@portico/contract/dashboards/calculated-column'
import { type CellChart, chartMessages } from '@portico/contract/dashboards/cell-chart'
import { Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import IconPlus from '#icons/IconPlus'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { DialogForm, focusFirstProblem, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { CalculatedColumnFields } from './calculated-column-fields.tsx'
import { CellPreview } from './cell-preview.tsx'
import css from './chart-configuration-dialog.module.css'
import { problemsOf } from './chart-problems.ts'
import { SaveButtons } from './save-buttons.tsx'

type CalculatedColumnsDialogProps = {
  chart: CellChart
  /** The table's own columns. */
  columns: readonly string[]
  onSave: (columns: CalculatedColumn[]) => void
  onClose: () => void
}

const blank: CalculatedColumn = { name: '', expression: '', fix: 'none', position: 'e' }

/** Edits the calculated columns of a table, with the table next to them (specification 4 §2, §5). */
export function CalculatedColumnsDialog({ chart, columns, onSave, onClose }: CalculatedColumnsDialogProps) {
  const { calculatedColumns: stored = [] } = chart
  const [draft, setDraft] = useState<CalculatedColumn[]>(stored.length > 0 ? stored : [blank])
  const [isDirty, setDirty] = useState(false)
  const [isChecked, setChecked] = useState(false)
  const [removing, setRemoving] = useState<number | null>(null)
  const problems = useMemo(() => problemsIn(draft, columns), [draft, columns])
  const shown = useMemo(() => ({ ...chart, calculatedColumns: draft }), [chart, draft])
  const change = (next: CalculatedColumn[]): void => {
    setDraft(next)
    setDirty(true)
  }
  const submit = (): void => {
    setChecked(true)
    if (problems.length > 0) return focusFirstProblem()
    if (draft.length === 0) return
    onSave(draft)
    onClose()
  }
  return (
    <FormDialog title="Calculated Columns" width={1040} guard={{ isDirty, isBusy: false }} onClose={onClose}>
      <DialogForm onSubmit={submit} footer={<SaveButtons reason={null} onCancel={onClose} />}>
        <div className={css['sides']}>
          <Stack gap="sm">
            {draft.map((column, index) => (
              <CalculatedColumnFields
                // Columns have no identity but their position: names may be equal while they are being typed.
                key={index}
                column={column}
                place={`Column ${index + 1}`}
                columns={[...columns, ...draft.slice(0, index).map(({ name }) => name)].filter((name) => name !== '')}
                problemOf={(key) =>
                  isChecked
                    ? problems.find((problem) => problem.index === index && problem.key === key)?.message
                    : undefined
                }
                onChange={(part) => change(draft.map((each, at) => (at === index ? { ...each, ...part } : each)))}
                onRemove={() => setRemoving(index)}
              />
            ))}
            {draft.length === 0 && (
              <Text
                size="sm"
                c={isChecked ? 'var(--mantine-color-error)' : 'dimmed'}
                role={isChecked ? 'alert' : 'note'}
              >
                {chartMessages.calculatedColumns}
              </Text>
            )}
            <ReasonedButton
              label="Add calculated column"
              Icon={IconPlus}
              reason={
                draft.length >= mostCalculatedColumns
                  ? `A table has at most ${mostCalculatedColumns} calculated columns.`
                  : null
              }
              onClick={() => change([...draft, blank])}
            />
          </Stack>
          <CellPreview chart={shown} problems={problemsOf(shown)} />
        </div>
      </DialogForm>
      <ConfirmDialog
        isOpen={removing !== null}
        title="Remove calculated column"
        question="Are you sure?"
        confirmLabel="Yes, remove"
        onConfirm={() => {
          change(draft.filter((_, at) => at !== removing))
          setRemoving(null)
        }}
        onClose={() => setRemoving(null)}
      />
    </FormDialog>
  )
}

/** Problems of the calculated columns, given the table's own; the first problem of each field is shown. */
function problemsIn(draft: readonly CalculatedColumn[], columns: readonly string[]): ColumnProblem[] {
  const empty = draft.flatMap((column, index) =>
    (['name', 'expression'] as const)
      .filter((key) => column[key].trim() === '')
      .map((key) => ({ index, key, message: chartMessages.required })),
  )
  return [...empty, ...columnProblems(draft, columns)]
}
