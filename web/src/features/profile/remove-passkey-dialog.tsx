import type { Passkey } from '@portico/contract/passkeys'
import { useState } from 'react'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { removePasskey } from './passkeys-queries.ts'
import { ProofForm } from './proof-form.tsx'

type RemovePasskeyDialogProps = {
  passkey: Passkey
  /** Two-factor is on: a code is required too. */
  asksCode: boolean
  onClose: () => void
}

export function RemovePasskeyDialog({ passkey: { _id: id, name }, asksCode, onClose }: RemovePasskeyDialogProps) {
  const [guard, setGuard] = useState({ isDirty: false, isBusy: false })
  const finish = (): void => {
    notifyDone('The passkey was removed. Delete it on your device, too.')
    onClose()
  }
  return (
    <FormDialog title="Remove the passkey" width={420} guard={guard} onClose={onClose}>
      <ProofForm
        text={
          <>
            “{name}” will no longer sign you in, and other sessions that were started with it end. To remove it, enter
            your password{asksCode && ' and a code'}.
          </>
        }
        submitLabel="Remove"
        isDangerous
        asksCode={asksCode}
        change={(proof) => removePasskey({ id, ...proof })}
        onDone={finish}
        onGuardChange={setGuard}
        onClose={onClose}
      />
    </FormDialog>
  )
}
