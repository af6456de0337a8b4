import type { Account } from '@portico/contract/accounts'
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { useSuspendAccount } from './accounts-queries.ts'

/** Suspends or resumes an account after its name is typed: this affects all its users. */
export function SuspensionDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { Key, Value, isSuspended } = account
  const [typed, setTyped] = useState('')
  const update = useSuspendAccount(Key)
  const act = isSuspended ? 'Resume' : 'Suspend'
  const isTyped = typed.trim() === Value
  const onSubmit = (): void => {
    if (!isTyped) return
    update.mutate(!isSuspended, {
      onSuccess: () => {
        notifyDone(`'${Value}' was ${isSuspended ? 'resumed' : 'suspended'}.`)
        onClose()
      },
      onError: (error) => notifyError(messageOf(error)),
    })
  }
  return (
    <FormDialog
      title={`${act} ${Value}`}
      width={460}
      guard={{ isDirty: false, isBusy: update.isPending }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={onSubmit}
        footer={
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={update.isPending}>
              Cancel
            </Button>
            <Button
              type="submit"
              {...(!isSuspended && { color: 'red.8' })}
              disabled={!isTyped}
              loading={update.isPending}
            >
              {act}
            </Button>
          </Group>
        }
      >
        <Stack gap="sm">
          <Text size="sm">
            {isSuspended
              ? 'People can enter it again, and its API credentials and links work again.'
              : 'Only power admins can enter it, and its API credentials and links are refused, until it is resumed.'}
          </Text>
          <TextInput
            label={`Type '${Value}' to continue`}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={typed}
            error={typed !== '' && !Value.startsWith(typed.trim()) ? 'Value is invalid!' : undefined}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}
