import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { CronsTab } from './crons-tab.tsx'

type ManageDialogProps = { consumerCode: ConsumerCode; onClose: () => void }

/** The crons of exports or of reports. */
export function ManageDialog({ consumerCode, onClose }: ManageDialogProps) {
  return (
    <FormDialog title="Manage Schedules" width={1200} guard={{ isDirty: false, isBusy: false }} onClose={onClose}>
      <div style={{ padding: 16, overflow: 'auto' }}>
        <CronsTab consumerCode={consumerCode} />
      </div>
    </FormDialog>
  )
}
