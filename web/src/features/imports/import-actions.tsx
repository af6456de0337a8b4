import type { Import } from '@portico/contract/imports'
import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconArrowBackUp from '#icons/IconArrowBackUp'
import IconBan from '#icons/IconBan'
import IconDots from '#icons/IconDots'
import IconFileAlert from '#icons/IconFileAlert'
import { CancelJobDialog, isRunning } from '#domain/job-lists'
import { useCan } from '#lib/session/session.ts'
import { setAsideText } from './import-progress.ts'
import { useCancelImport } from './imports-queries.ts'
import { UndoImportDialog } from './on-demand.ts'
import { useReportDownload } from './report-link.tsx'

const hasReport = (item: Import): boolean => setAsideText(item) !== null && !isRunning(item)

/** The viewer's rights beyond cancelling and downloading. */
export type Rights = { canUndo: boolean }

/** Whether the viewer may undo imports, which deletes contacts and changes others. */
export function useRights(): Rights {
  const canUndoImports = useCan('contact-imports-undo')
  const canDelete = useCan('contact-offers-delete')
  const canChange = useCan('contact-offers-update')
  return { canUndo: canUndoImports && canDelete && canChange }
}

const isUndoable = (item: Import, { canUndo }: Rights): boolean => canUndo && item.undoUntil !== null

/** Whether an import has any action: cancel it, fetch its set-aside rows, or undo it. */
export const hasActions = (item: Import, rights: Rights): boolean =>
  isRunning(item) || hasReport(item) || isUndoable(item, rights)

/** The menu of a row: only actions that apply to this import; renders nothing if there are none. */
export function ImportActions({ item, rights }: { item: Import; rights: Rights }) {
  const [isAsking, { open, close }] = useDisclosure()
  const [isUndoing, undoing] = useDisclosure()
  const cancel = useCancelImport()
  const download = useReportDownload(item._id)
  // A running import may end while its question is open.
  if (!hasActions(item, rights) && !isAsking && !isUndoing) return null
  return (
    <>
      {/* Mantine would focus a placeholder, which is not a valid part of a menu. */}
      <Menu position="bottom-end" width={220} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon size={24} display="flex" aria-label={`Actions for ${item.name}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isRunning(item) && (
            <Menu.Item c="red" leftSection={<IconBan size={15} aria-hidden />} onClick={open}>
              Cancel import
            </Menu.Item>
          )}
          {hasReport(item) && (
            <Menu.Item leftSection={<IconFileAlert size={15} aria-hidden />} onClick={download.start}>
              Download rows set aside
            </Menu.Item>
          )}
          {isUndoable(item, rights) && (
            <Menu.Item c="red" leftSection={<IconArrowBackUp size={15} aria-hidden />} onClick={undoing.open}>
              Undo import
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <CancelJobDialog noun="import" job={item} isOpen={isAsking} cancel={cancel} onClose={close} />
      {isUndoing && <UndoImportDialog item={item} onClose={undoing.close} />}
    </>
  )
}
