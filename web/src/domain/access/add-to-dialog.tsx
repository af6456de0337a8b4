import { messages } from '@portico/contract/messages'
import { Box, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { focusFirstProblem } from '#ui/dialog/form-dialog.tsx'
import { ChooseByName } from './choose-by-name.tsx'
import { EditDialog } from './edit-dialog.tsx'

type AddToDialogProps = {
  title: string
  /** Names of the selected rows to add. */
  description: ReactNode
  /** Names the choice: 'Groups'. */
  label: string
  options: readonly { _id: string; name: string }[]
  isBusy: boolean
  onSubmit: (ids: string[]) => void
  onClose: () => void
}

/** Chooses the items to which the selected rows are added, or the items to add to them; at least one. */
export function AddToDialog({ title, description, label, options, isBusy, onSubmit, onClose }: AddToDialogProps) {
  const [chosen, setChosen] = useState<string[]>([])
  const [isChecked, setChecked] = useState(false)
  const submit = (): void => {
    setChecked(true)
    if (chosen.length === 0) return focusFirstProblem()
    onSubmit(chosen)
  }
  return (
    <EditDialog
      title={title}
      width={560}
      isDirty={chosen.length > 0 && !isBusy}
      isBusy={isBusy}
      submitLabel="Add"
      problem={null}
      onSubmit={submit}
      onClose={onClose}
    >
      {/* Room for the list of options, which would otherwise cover the buttons. */}
      <Box mih={330}>
        <Text size="sm" mb="md" style={{ overflowWrap: 'anywhere' }}>
          {description}
        </Text>
        <ChooseByName
          label={label}
          options={options}
          value={chosen}
          onChange={setChosen}
          error={isChecked && chosen.length === 0 ? messages.required : undefined}
        />
      </Box>
    </EditDialog>
  )
}
