import type { Dashboard } from '@portico/contract/dashboards'
import { ActionIcon, Menu } from '@mantine/core'
import { useState } from 'react'
import IconDots from '#icons/IconDots'
import IconHistory from '#icons/IconHistory'
import IconMaximize from '#icons/IconMaximize'
import IconPrinter from '#icons/IconPrinter'
import IconStar from '#icons/IconStar'
import IconUserCheck from '#icons/IconUserCheck'
import { messageOf } from '#lib/api/api-error.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { deferred } from '#ui/page/deferred.tsx'
import { useMarkFavourite, useTakeOver } from './viewer-mutations.ts'
import type { Presentation } from './presenting/use-presentation.ts'
import { useManagedSchedules } from '#domain/scheduler'
import { ScheduleDialogs, ScheduleItems } from './schedule-items.tsx'

const VersionsDialog = deferred(async () => (await import('./dialogs/versions-dialog.tsx')).VersionsDialog)

type DashboardMenuProps = {
  dashboard: Dashboard
  /** Null while the dashboard is being edited. */
  presentation: Presentation | null
  /** Shows the definition of an earlier version, as unsaved changes; absent if the dashboard cannot be edited. */
  onPreview?: (definition: string) => void
}

/** The actions of the open dashboard other than editing. */
export function DashboardMenu({ dashboard, presentation, onPreview }: DashboardMenuProps) {
  const [isHistoryOpen, setHistoryOpen] = useState(false)
  const [isScheduling, setScheduling] = useState(false)
  const [isManaging, setManaging] = useManagedSchedules()
  const mark = useMarkFavourite()
  const takeOver = useTakeOver()
  const { _id, name, isFavourite, isAuthor, mayTakeOver } = dashboard
  const onError = (error: unknown): void => notifyError(messageOf(error))
  return (
    <>
      <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More about this dashboard">
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconStar size={15} aria-hidden />}
            onClick={() => mark.mutate({ _id, isFavourite: !isFavourite }, { onError })}
          >
            {isFavourite ? 'Remove from favourites' : 'Add to favourites'}
          </Menu.Item>
          {(isAuthor || mayTakeOver) && (
            <Menu.Item leftSection={<IconHistory size={15} aria-hidden />} onClick={() => setHistoryOpen(true)}>
              Versions
            </Menu.Item>
          )}
          {presentation && (
            <>
              <Menu.Item leftSection={<IconMaximize size={15} aria-hidden />} onClick={presentation.showFull}>
                Full screen
              </Menu.Item>
              <Menu.Item leftSection={<IconPrinter size={15} aria-hidden />} onClick={presentation.print}>
                Print
              </Menu.Item>
            </>
          )}
          <ScheduleItems onOpen={(dialog) => (dialog === 'schedule' ? setScheduling(true) : setManaging(true))} />
          {mayTakeOver && (
            <Menu.Item
              leftSection={<IconUserCheck size={15} aria-hidden />}
              onClick={() =>
                takeOver.mutate(_id, { onSuccess: () => notifyDone(`You are now the author of '${name}'.`), onError })
              }
            >
              Take over
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <ScheduleDialogs
        dashboard={dashboard}
        open={isScheduling ? 'schedule' : isManaging ? 'manage' : null}
        onClose={() => (isScheduling ? setScheduling(false) : setManaging(false))}
      />
      {isHistoryOpen && (
        <VersionsDialog dashboard={dashboard} onPreview={onPreview ?? null} onClose={() => setHistoryOpen(false)} />
      )}
    </>
  )
}
