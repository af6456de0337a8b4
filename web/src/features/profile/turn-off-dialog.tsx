import { useState } from 'react'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { turnTwoFactorOff } from './profile-queries.ts'
import { ProofForm } from './proof-form.tsx'

export function TurnOffDialog({ onClose }: { onClose: () => void }) {
  const [guard, setGuard] = useState({ isDirty: false, isBusy: false })
  const finish = (): void => {
    notifyDone('Two-factor is off.')
    onClose()
  }
  return (
    <FormDialog title="Turn two-factor off" width={420} guard={guard} onClose={onClose}>
      <ProofForm
        text="Your password alone will sign you in, and your recovery codes will no longer work."
        submitLabel="Turn off"
        isDangerous
        change={turnTwoFactorOff}
        onDone={finish}
        onGuardChange={setGuard}
        onClose={onClose}
      />
    </FormDialog>
  )
}
