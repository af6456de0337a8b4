import { messages } from '@portico/contract/messages'
import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { ColumnOrder } from '#ui/form/column-order.tsx'
import { MultiChooser } from '#ui/form/multi-chooser.tsx'

type ColumnsDialogProps = {
  /** All columns that can be shown. */
  names: string[]
  shown: string[]
  /** Shown by default. */
  usual: string[]
  onChoose: (columns: string[]) => void
  onClose: () => void
}

/** Chooses the columns of the results and their order: for this user, in every search without columns of its own. */
export function ColumnsDialog({ names, shown, usual, onChoose, onClose }: ColumnsDialogProps) {
  const [columns, setColumns] = useState(shown)
  const isUsual = JSON.stringify(columns) === JSON.stringify(usual)
  return (
    <FormDialog
      title="Columns"
      width={520}
      guard={{ isDirty: JSON.stringify(columns) !== JSON.stringify(shown), isBusy: false }}
      onClose={onClose}
    >
      <DialogForm
        onSubmit={() => {
          if (columns.length === 0) return
          // The default columns follow the account's fields, so they are not stored.
          onChoose(isUsual ? [] : columns)
          onClose()
        }}
        footer={
          <Group justify="space-between" gap="xs">
            <Button variant="subtle" color="gray" disabled={isUsual} onClick={() => setColumns(usual)}>
              Usual columns
            </Button>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" disabled={columns.length === 0}>
                Apply
              </Button>
            </Group>
          </Group>
        }
      >
        <Stack gap="sm">
          <MultiChooser
            label="Columns"
            description="Used in every search without its own columns."
            options={names}
            value={columns}
            error={columns.length === 0 ? messages.required : undefined}
            onChange={setColumns}
          />
          <ColumnOrder columns={columns} onChange={setColumns} />
        </Stack>
      </DialogForm>
    </FormDialog>
  )
}
