import { Button, Group, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { DialogForm, FormDialog } from './form-dialog.tsx'

type TypedConfirmDialogProps = {
  title: string
  /** Ends with the text to type, which is shown after it. */
  question: ReactNode
  /** Label of the field. */
  label: string
  /** The text to type, in any letter case. */
  expected: string
  confirmLabel: string
  isBusy: boolean
  /** Why the action failed. */
  problem: string | null
  onConfirm: () => void
  onClose: () => void
}

const fold = (text: string): string => text.trim().toLowerCase()

/** Asks before an action with consequences; its button works once the expected text is typed. */
export function TypedConfirmDialog(props: TypedConfirmDialogProps) {
  const { title, question, label, expected, confirmLabel, isBusy, problem, onConfirm, onClose } = props
  const [typed, setTyped] = useState('')
  const isTyped = fold(typed) === fold(expected)
  return (
    <FormDialog title={title} width={440} guard={{ isDirty: false, isBusy }} onClose={onClose}>
      <DialogForm
        onSubmit={() => isTyped && onConfirm()}
        footer={
          <>
            <FormProblem>{problem}</FormProblem>
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose} disabled={isBusy}>
                Cancel
              </Button>
              <Button type="submit" color="red.8" disabled={!isTyped} loading={isBusy}>
                {confirmLabel}
              </Button>
            </Group>
          </>
        }
      >
        <Text size="sm" mb="sm" style={{ overflowWrap: 'anywhere' }}>
          {question} <strong>{expected}</strong>
        </Text>
        <TextInput
          label={label}
          data-autofocus
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </DialogForm>
    </FormDialog>
  )
}
