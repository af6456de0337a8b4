import { useState } from 'react'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { renewRecoveryCodes } from './profile-queries.ts'
import { ProofForm } from './proof-form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

/** Replaces the recovery codes with ten new ones. */
export function RenewCodesDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const [guard, setGuard] = useState({ isDirty: false, isBusy: false })
  const [codes, setCodes] = useState<string[] | null>(null)
  return (
    <FormDialog
      title={codes ? 'Save your recovery codes' : 'New recovery codes'}
      width={480}
      // The codes are shown once: only their own button closes them.
      guard={codes ? { isDirty: true, isBusy: true } : guard}
      onClose={onClose}
    >
      {codes ? (
        <RecoveryCodes email={email} codes={codes} onKept={onClose} />
      ) : (
        <ProofForm
          text="Ten new codes replace your current ones, which stop working."
          submitLabel="Create new codes"
          change={renewRecoveryCodes}
          onDone={setCodes}
          onGuardChange={setGuard}
          onClose={onClose}
        />
      )}
    </FormDialog>
  )
}
