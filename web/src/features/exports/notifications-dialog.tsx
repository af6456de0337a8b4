import { maxNotifications } from '@portico/contract/notifications'
import type { Senders } from '@portico/contract/senders'
import { ActionIcon, Alert, Button, Group, Stack, Tabs, Text, Tooltip } from '@mantine/core'
import { useState } from 'react'
import IconMail from '#icons/IconMail'
import IconPlugConnected from '#icons/IconPlugConnected'
import IconServerCog from '#icons/IconServerCog'
import IconTrash from '#icons/IconTrash'
import IconWorldWww from '#icons/IconWorldWww'
import { useSenders } from '#domain/senders'
import { messageOf } from '#lib/api/api-error.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { TabLabel } from '#ui/page/tab-label.tsx'
import { useTestNotification } from './exports-queries.ts'
import { NotificationFields } from './notification-fields.tsx'
import {
  checkDraft,
  isBlank,
  type NotificationDraft,
  type NotificationRow,
  type NotificationType,
  withBlankRows,
} from './notification-drafts.ts'

type NotificationsDialogProps = {
  rows: NotificationRow[]
  /** Receives the rows that are filled in. */
  onSave: (rows: NotificationRow[]) => void
  onClose: () => void
}

const tabs: { type: NotificationType; label: string; Icon: typeof IconMail }[] = [
  { type: 'email', label: 'Email', Icon: IconMail },
  { type: 'http', label: 'HTTP', Icon: IconWorldWww },
  { type: 'sftp', label: 'SFTP', Icon: IconServerCog },
]

/** Edits an export's notifications and deliveries (specification 3 §2.4). */
export function NotificationsDialog({ rows: before, onSave, onClose }: NotificationsDialogProps) {
  const [rows, setRows] = useState(() => withBlankRows(before, maxNotifications))
  const [isDirty, setDirty] = useState(false)
  const filled = rows.filter(({ draft }) => !isBlank(draft))
  const { data: senders } = useSenders(filled.some(({ draft }) => draft.type === 'email'))
  const checked = filled.map(({ draft }) => ({ type: draft.type, ...checkDraft(draft, senders) }))
  const isWrong = (type: NotificationType): boolean =>
    checked.some((one) => one.type === type && one.notification === null)
  const isValid = checked.every(({ notification }) => notification !== null)

  const change = (next: NotificationRow[]): void => {
    setRows(withBlankRows(next, maxNotifications))
    setDirty(true)
  }
  return (
    <FormDialog title="Notifications" width={720} guard={{ isDirty, isBusy: false }} onClose={onClose}>
      <DialogForm
        onSubmit={() => isValid && onSave(filled)}
        footer={
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isValid}>
              Save
            </Button>
          </Group>
        }
      >
        <Tabs defaultValue={filled[0]?.draft.type ?? 'email'} keepMounted={false}>
          <Tabs.List mb="md">
            {tabs.map(({ type, label, Icon }) => (
              <Tabs.Tab key={type} value={type} leftSection={<Icon size={15} aria-hidden />}>
                <TabLabel isWrong={isWrong(type)}>{label}</TabLabel>
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {tabs.map(({ type }) => {
            const own = rows.filter(({ draft }) => draft.type === type)
            return (
              <Tabs.Panel key={type} value={type} mih={{ base: 340, sm: 440 }}>
                {own.length === 0 && (
                  <Text size="sm" c="dimmed">
                    {`At most ${maxNotifications} notification can be set. Remove the other one to set this one.`}
                  </Text>
                )}
                {own.map((row) => (
                  <Row
                    key={row.key}
                    draft={row.draft}
                    senders={senders}
                    onChange={(draft) => change(rows.map((one) => (one === row ? { ...row, draft } : one)))}
                    onRemove={() => change(rows.filter((one) => one !== row))}
                  />
                ))}
              </Tabs.Panel>
            )
          })}
        </Tabs>
      </DialogForm>
    </FormDialog>
  )
}

type RowProps = {
  draft: NotificationDraft
  senders: Senders | undefined
  onChange: (draft: NotificationDraft) => void
  onRemove: () => void
}

function Row({ draft, senders, onChange, onRemove }: RowProps) {
  const [isAsking, setAsking] = useState(false)
  const { notification, problems } = isBlank(draft) ? { notification: null, problems: {} } : checkDraft(draft, senders)
  const trial = useTestNotification()
  return (
    <Stack gap="sm">
      <NotificationFields
        draft={draft}
        problems={problems}
        onChange={(next) => {
          // The result of the test no longer applies.
          trial.reset()
          onChange(next)
        }}
      />
      <Group gap="xs" justify="space-between">
        <Tooltip label="Complete the notification first." disabled={notification !== null}>
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={15} aria-hidden />}
            loading={trial.isPending}
            {...(notification === null && { 'data-disabled': true, 'aria-disabled': true })}
            onClick={() => notification && trial.mutate(notification)}
          >
            {draft.type === 'email' ? 'Send a test to me' : 'Test'}
          </Button>
        </Tooltip>
        {!isBlank(draft) && (
          <ActionIcon
            size={30}
            color="red"
            aria-label="Remove notification"
            title="Remove"
            onClick={() => setAsking(true)}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <div aria-live="polite">
        {trial.data && (
          <Alert color={trial.data.isOk ? 'green' : 'red'} p="8px 12px" style={{ overflowWrap: 'anywhere' }}>
            {trial.data.message}
          </Alert>
        )}
        {trial.error && (
          <Alert color="red" p="8px 12px">
            {messageOf(trial.error)}
          </Alert>
        )}
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        title="Remove notification"
        question="Are you sure?"
        confirmLabel="Yes, remove it"
        onConfirm={() => {
          setAsking(false)
          onRemove()
        }}
        onClose={() => setAsking(false)}
      />
    </Stack>
  )
}
