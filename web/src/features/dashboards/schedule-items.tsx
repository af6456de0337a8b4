import type { Dashboard } from '@portico/contract/dashboards'
import { dashboardUrlOf } from '@portico/contract/scheduler/instructions'
import { messageTimes, schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { Menu, Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import IconCalendarEvent from '#icons/IconCalendarEvent'
import IconCalendarPlus from '#icons/IconCalendarPlus'
import { LazyCronEditor, LazyManageDialog, useScheduling } from '#domain/scheduler'
import { notifyDone } from '#ui/feedback/notify.ts'

export type Scheduling = 'schedule' | 'manage'

/** The menu's entries of the scheduler. Without the right they stay and say why they do nothing. */
export function ScheduleItems({ onOpen }: { onOpen: (dialog: Scheduling) => void }) {
  const { whyNotSchedule, whyNotManage } = useScheduling()
  return (
    <>
      <Item label="Schedule" Icon={IconCalendarPlus} reason={whyNotSchedule} onClick={() => onOpen('schedule')} />
      <Item label="Manage Schedules" Icon={IconCalendarEvent} reason={whyNotManage} onClick={() => onOpen('manage')} />
    </>
  )
}

type ItemProps = { label: string; Icon: typeof IconCalendarEvent; reason: string | null; onClick: () => void }

function Item({ label, Icon, reason, onClick }: ItemProps) {
  const [isTold, setTold] = useState(false)
  useEffect(() => {
    if (!isTold) return
    const timer = window.setTimeout(() => setTold(false), messageTimes.permission)
    return () => window.clearTimeout(timer)
  }, [isTold])
  return (
    <Tooltip label={reason} disabled={reason === null} {...(isTold && { opened: true })}>
      <Menu.Item
        leftSection={<Icon size={15} aria-hidden />}
        closeMenuOnClick={reason === null}
        // Not `disabled`: the keyboard has to reach it to learn why.
        {...(reason !== null && { 'aria-disabled': true, c: 'var(--mantine-color-disabled-color)' })}
        onClick={() => (reason === null ? onClick() : setTold(true))}
      >
        {label}
      </Menu.Item>
    </Tooltip>
  )
}

type ScheduleDialogsProps = { dashboard: Dashboard; open: Scheduling | null; onClose: () => void }

/** The dialogs of the scheduler for a dashboard. */
export function ScheduleDialogs({ dashboard: { _id, name }, open, onClose }: ScheduleDialogsProps) {
  if (open === null) return null
  if (open === 'manage') return <LazyManageDialog consumerCode="BI" onClose={onClose} />
  return (
    <LazyCronEditor
      consumerCode="BI"
      kept={null}
      instruction={{ url: dashboardUrlOf(_id) }}
      initial={{ name: name.slice(0, 100) }}
      onSaved={(saved) => {
        notifyDone(schedulerMessages.scheduled(saved))
        onClose()
      }}
      onClose={() => {
        notifyDone(schedulerMessages.cancelled)
        onClose()
      }}
    />
  )
}
