import { ActionIcon, Text, Tooltip } from '@mantine/core'
import IconBellPlus from '#icons/IconBellPlus'
import { describeNotification } from '#domain/job-lists'
import { checkDraft, type NotificationRow } from './notification-drafts.ts'
import css from './part.module.css'

/** Recipients and destinations of the file, and a button to change them. */
export function ExportNotifications({ rows, onEdit }: { rows: NotificationRow[]; onEdit: () => void }) {
  const texts = rows.flatMap(({ draft }) => {
    const { notification } = checkDraft(draft)
    return notification ? [describeNotification(notification)] : []
  })
  return (
    <div>
      <div className={css['head']}>
        <span className={css['title']}>Notifications</span>
        <Tooltip label="click to set notifications">
          <ActionIcon size={30} variant="default" aria-label="Set notifications" onClick={onEdit}>
            <IconBellPlus size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <Text component="output" display="block" size="sm" className={css['text'] ?? ''}>
        {texts.length > 0 ? texts.join(', ') : 'None.'}
      </Text>
    </div>
  )
}
