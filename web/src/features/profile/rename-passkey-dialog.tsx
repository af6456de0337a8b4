import { type Passkey, PasskeyName } from '@portico/contract/passkeys'
import { Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { z } from 'zod'
import { useSubmit } from '#lib/submit.ts'
import { DialogButtons } from '#ui/dialog/dialog-buttons.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { useRenamePasskey } from './passkeys-queries.ts'

const schema = z.object({ name: PasskeyName })

export function RenamePasskeyDialog({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const form = useForm({
    initialValues: { name: passkey.name },
    validate: (values) => schemaResolver(schema, { sync: true })(values),
    validateInputOnChange: true,
  })
  const { submit, problem, isBusy } = useSubmit(form, useRenamePasskey(), {
    done: () => {
      notifyDone('The passkey was renamed.')
      onClose()
    },
  })
  return (
    <FormDialog title="Rename the passkey" width={420} guard={{ isDirty: form.isDirty(), isBusy }} onClose={onClose}>
      <DialogForm
        onSubmit={() => form.onSubmit(({ name }) => submit({ id: passkey._id, name }))()}
        footer={
          <DialogButtons onCancel={onClose} isBusy={isBusy}>
            Save
          </DialogButtons>
        }
      >
        <Stack gap="sm">
          <FormProblem>{problem}</FormProblem>
          <TextInput label="Name" maxLength={64} autoComplete="off" data-autofocus {...form.getInputProps('name')} />
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}
