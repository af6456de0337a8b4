import type { DeleteRecord } from '@portico/contract/deletes'
import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconArrowBackUp from '#icons/IconArrowBackUp'
import IconDots from '#icons/IconDots'
import IconTrash from '#icons/IconTrash'
import { EraseDeleteDialog } from './erase-delete-dialog.tsx'
import { kindOf } from './restore-texts.ts'
import { UndoDeleteDialog } from './undo-delete-dialog.tsx'

/** Whether a delete can be undone, or its data erased for good. */
export const hasActions = ({ restorableUntil }: DeleteRecord): boolean => restorableUntil !== null

/** The menu of a row; renders nothing for a delete that is final. */
export function DeleteActions({ record }: { record: DeleteRecord }) {
  const [isUndoing, undoing] = useDisclosure()
  const [isErasing, erasing] = useDisclosure()
  // Another user may undo it while the question is open.
  if (!hasActions(record) && !isUndoing && !isErasing) return null
  return (
    <>
      {/* Mantine would focus a placeholder, which is not a valid part of a menu. */}
      <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon size={24} display="flex" aria-label={`Actions for delete ${record._id}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconArrowBackUp size={15} aria-hidden />} onClick={undoing.open}>
            {`Undo ${kindOf(record)}`}
          </Menu.Item>
          <Menu.Item c="red" leftSection={<IconTrash size={15} aria-hidden />} onClick={erasing.open}>
            Delete for good
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isUndoing && <UndoDeleteDialog record={record} onClose={undoing.close} />}
      {isErasing && <EraseDeleteDialog record={record} onClose={erasing.close} />}
    </>
  )
}
