import { undoDays } from '@portico/contract/undo-limits'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useDeleteResults } from './contacts-queries.ts'
import { Elapsed } from './elapsed-time.tsx'

type DeleteResultsDialogProps = {
  /** The contacts, and a description. */
  stages: Pipeline
  sentence: string
  count: number
  onClose: () => void
}

const records = (count: number): string => `${count} ${count === 1 ? 'record' : 'records'}`

/** Deletes all contacts that a search finds, after their number is typed. The server counts again. */
export function DeleteResultsDialog({ stages, sentence, count: searched, onClose }: DeleteResultsDialogProps) {
  const [count, setCount] = useState(searched)
  const [typed, setTyped] = useState('')
  const remove = useDeleteResults()
  const isConfirmed = typed.trim() === String(count)

  function submit(): void {
    if (!isConfirmed || remove.isPending) return
    remove.mutate(
      { filter: writePipeline(stages), deletedRecords: count },
      {
        onSuccess: ({ deletedCount }) => {
          const done = `${records(deletedCount)} ${deletedCount === 1 ? 'was' : 'were'} deleted.`
          notifyDone(`${done} This can be undone for ${undoDays} days.`)
          onClose()
        },
        onError: (error) => {
          const now = countNow(error)
          if (now === null) return
          setCount(now)
          setTyped('')
        },
      },
    )
  }

  return (
    <FormDialog
      title="Delete Results"
      width={460}
      guard={{ isDirty: typed !== '', isBusy: remove.isPending }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={submit}
        footer={
          <Group justify="space-between" gap="xs">
            <Text size="sm" c="dimmed" component="div">
              {remove.isPending && (
                <>
                  Deleting <Elapsed />
                </>
              )}
            </Text>
            <Group gap="xs">
              <Button variant="default" onClick={onClose} disabled={remove.isPending}>
                Cancel
              </Button>
              <Button type="submit" color="red.8" disabled={!isConfirmed} loading={remove.isPending}>
                Submit
              </Button>
            </Group>
          </Group>
        }
      >
        <Stack gap="sm">
          {remove.error && (
            <Alert color="red" role="alert" icon={<IconAlertTriangle size={18} aria-hidden />}>
              {messageOf(remove.error)}
            </Alert>
          )}
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {sentence}
          </Text>
          <TextInput
            label={`To delete ${records(count)}, type ${count} in the following box`}
            inputMode="numeric"
            autoComplete="off"
            data-autofocus
            disabled={remove.isPending || count === 0}
            value={typed}
            error={typed.trim() !== '' && !isConfirmed ? 'Value is invalid!' : undefined}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Text size="xs" c="dimmed">
            {`Their events are deleted too. This can be undone for ${undoDays} days, under Deletes.`}
          </Text>
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}

/** The number that the server counted if it differs from the confirmed one. */
function countNow(error: unknown): number | null {
  if (!isApiError(error, 'count_changed')) return null
  // The route documents `{count}`; a proxy may have removed it.
  const { count } = (error.details ?? {}) as { count?: unknown }
  return typeof count === 'number' ? count : null
}
