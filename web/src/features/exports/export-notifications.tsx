import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconBellPlus from '#icons/IconBellPlus'
import type { NewExportForm } from './new-export-dialog.tsx'
import { checkDraft, describeNotification } from './notification-drafts.ts'
import { NotificationsDialog } from './notifications-dialog.tsx'
import css from './part.module.css'

/** Who is told when the file is there, or where it goes; and the way to change it. */
export function ExportNotifications({ form }: { form: NewExportForm }) {
  const [isOpen, { open, close }] = useDisclosure()
  const { notifications } = form.values
  const texts = notifications.flatMap(({ draft }) => {
    const { notification } = checkDraft(draft)
    return notification ? [describeNotification(notification)] : []
  })
  return (
    <div className={css['part']}>
      <div className={css['head']}>
        <span className={css['title']}>Notifications</span>
        <Tooltip label="click to set notifications">
          <ActionIcon size={30} variant="default" aria-label="Set notifications" onClick={open}>
            <IconBellPlus size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <Text component="output" display="block" size="sm" className={css['text'] ?? ''}>
        {texts.length > 0 ? texts.join(', ') : 'None.'}
      </Text>
      {isOpen && (
        <NotificationsDialog
          rows={notifications}
          onSave={(rows) => {
            form.setFieldValue('notifications', rows)
            close()
          }}
          onClose={close}
        />
      )}
    </div>
  )
}
