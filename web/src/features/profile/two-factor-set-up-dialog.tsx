import { Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { useSubmit } from '#lib/submit.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { PasswordField } from '#ui/form/password-field.tsx'
import { CodeField, required } from './code-field.tsx'
import { CopyButton } from './copy-button.tsx'
import { confirmTwoFactor, setUpTwoFactor, useSecurityChange } from './profile-queries.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import css from './two-factor-set-up-dialog.module.css'

type Secret = { secret: string; qrCode: string }

type TwoFactorSetUpDialogProps = {
  email: string
  /** Why it must be set up, if the person did not choose to. */
  lead?: ReactNode
  onClose: (isOn: boolean) => void
}

/** Password, then the app, then the recovery codes: the app's first code turns two-factor on. */
export function TwoFactorSetUpDialog({ email, lead, onClose }: TwoFactorSetUpDialogProps) {
  const [secret, setSecret] = useState<Secret | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const [isBusy, setBusy] = useState(false)
  const finish = (): void => {
    notifyDone('Two-factor is on. Your other sessions have ended.')
    onClose(true)
  }
  const cancel = (): void => onClose(false)
  const isShowingCodes = codes !== null
  return (
    <FormDialog
      title={isShowingCodes ? 'Save your recovery codes' : 'Set up two-factor'}
      width={480}
      // The codes are shown once: only their own button closes them.
      guard={{ isDirty: secret !== null, isBusy: isBusy || isShowingCodes }}
      onClose={cancel}
    >
      {!secret && <PasswordStep lead={lead} onSecret={setSecret} onBusy={setBusy} onClose={cancel} />}
      {secret && !codes && <AppStep secret={secret} onCodes={setCodes} onBusy={setBusy} onClose={cancel} />}
      {codes && <RecoveryCodes email={email} codes={codes} onKept={finish} />}
    </FormDialog>
  )
}

type StepProps = { onBusy: (isBusy: boolean) => void; onClose: () => void }

type PasswordStepProps = StepProps & { lead: ReactNode; onSecret: (secret: Secret) => void }

function PasswordStep({ lead, onSecret, onBusy, onClose }: PasswordStepProps) {
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: required },
    validateInputOnChange: true,
  })
  const { submit, problem, isBusy } = useSubmit(form, useSecurityChange(setUpTwoFactor), {
    done: onSecret,
    settled: () => onBusy(false),
  })
  function onSubmit({ password }: { password: string }): void {
    onBusy(true)
    submit(password)
  }
  return (
    <DialogForm
      onSubmit={() => form.onSubmit(onSubmit)()}
      footer={<Buttons label="Continue" isBusy={isBusy} onClose={onClose} />}
    >
      <Stack gap="sm">
        {lead}
        <Text size="sm">
          You need an authenticator app on your phone, such as Aegis, 2FAS, Google Authenticator or 1Password. To begin,
          enter your password.
        </Text>
        <FormProblem>{problem}</FormProblem>
        <PasswordField
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
      </Stack>
    </DialogForm>
  )
}

type AppStepProps = StepProps & { secret: Secret; onCodes: (codes: string[]) => void }

function AppStep({ secret: { secret, qrCode }, onCodes, onBusy, onClose }: AppStepProps) {
  const form = useForm({ initialValues: { code: '' }, validate: { code: required }, validateInputOnChange: true })
  const { submit, problem, isBusy } = useSubmit(form, useSecurityChange(confirmTwoFactor), {
    done: onCodes,
    settled: () => onBusy(false),
  })
  function onSubmit({ code }: { code: string }): void {
    onBusy(true)
    submit(code)
  }
  return (
    <DialogForm
      onSubmit={() => form.onSubmit(onSubmit)()}
      footer={<Buttons label="Turn on" isBusy={isBusy} onClose={onClose} />}
    >
      <Stack gap="sm">
        <Text size="sm">Scan this with the app, or type the key into it.</Text>
        <div className={css['code']}>
          <img src={qrCode} alt="QR code for the authenticator app" width={184} height={184} />
        </div>
        <div className={css['key']}>
          <code aria-label="Key for manual entry">{secret}</code>
          <CopyButton text={secret.replaceAll(' ', '')} label="Copy the key" />
        </div>
        <FormProblem>{problem}</FormProblem>
        <CodeField label="Code from the app" isFirst {...form.getInputProps('code')} />
      </Stack>
    </DialogForm>
  )
}

function Buttons({ label, isBusy, onClose }: { label: string; isBusy: boolean; onClose: () => void }) {
  return (
    <DialogButtons onCancel={onClose} isBusy={isBusy}>
      {label}
    </DialogButtons>
  )
}
