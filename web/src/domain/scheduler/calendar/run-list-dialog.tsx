import type { Schedule } from '@portico/contract/scheduler/schedules'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import css from './run-card.module.css'
import { RunList } from './day-list.tsx'

type RunListDialogProps = {
  title: string
  runs: readonly Schedule[]
  onRun: (run: Schedule) => void
  onClose: () => void
}

/** Runs that the calendar draws as one block. */
export function RunListDialog({ title, runs, onRun, onClose }: RunListDialogProps) {
  return (
    <FormDialog title={title} width={520} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
      <div className={css['content']}>
        <RunList runs={runs} onRun={onRun} />
      </div>
    </FormDialog>
  )
}
