import { schedulerApi } from '@portico/contract/scheduler'
import type { Cron } from '@portico/contract/scheduler/crons'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { ActionIcon, Group, Menu, TextInput } from '@mantine/core'
import { useState } from 'react'
import IconCopy from '#icons/IconCopy'
import IconDots from '#icons/IconDots'
import IconEye from '#icons/IconEye'
import IconPencil from '#icons/IconPencil'
import IconPlayerPause from '#icons/IconPlayerPause'
import IconPlayerPlay from '#icons/IconPlayerPlay'
import IconRepeat from '#icons/IconRepeat'
import IconRun from '#icons/IconRun'
import IconUserCheck from '#icons/IconUserCheck'
import IconX from '#icons/IconX'
import { changeFresh, OpenedItem } from '#domain/editing'
import { useMayCall, useWhyNot } from '#lib/session/may-call.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { notifyError } from '#ui/feedback/notify.ts'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { ReasonedItem } from '#ui/feedback/reasoned-item.tsx'
import { cronEditorWidth, type CronValues, keptDraft, valuesOf } from './editor/cron-values.ts'
import { notifyAct } from './notify-act.ts'
import { deferred } from '#ui/page/deferred.tsx'
import { CronEditor } from './deferred-editor.ts'
import { type CronAct, failureOf, getCron, updateCron, useCronAct, useSaveCron } from './scheduler-queries.ts'

/** The dialog that runs past due times of a cron again. */
export const RunRangeDialog = deferred(async () => (await import('./run-range-dialog.tsx')).RunRangeDialog)

type Open = 'edit' | 'duplicate' | 'terminate' | 'pause' | 'again'

const doneTexts: Record<CronAct, (name: string) => string> = {
  pause: (name) => `${name} is paused.`,
  resume: (name) => `${name} is active again.`,
  run: (name) => `${name} runs now.`,
  takeOver: (name) => `${name} now runs with your rights.`,
}

type CronActionsProps = { cron: Cron; isPhone: boolean; onView: (id: string) => void }

/** The buttons of a cron's row. A terminated cron can only be viewed. */
export function CronActions({ cron, isPhone, onView }: CronActionsProps) {
  const { name, terminated } = cron
  const [open, setOpen] = useState<Open | null>(null)
  const whyNot = useWhyNot()
  const mayUpdate = useMayCall(schedulerApi.updateCron) ? null : whyNot
  const act = useCronAct()
  const start = (kind: CronAct, reason?: string): void =>
    act.mutate(
      { id: cron._id, version: cron.version, act: kind, ...(reason !== undefined && { reason }) },
      {
        onSuccess: () => notifyAct(doneTexts[kind](name)),
        onError: (error) => notifyError(failureOf(error, 'update cron')),
      },
    )
  const button = (hint: string, Icon: typeof IconPencil, reason: string | null, onClick: () => void) => (
    <RowButton label={`${hint} ${name}`} hint={hint} Icon={Icon} reason={reason} onClick={onClick} />
  )
  return (
    <>
      <Group gap={2} wrap="nowrap" justify="flex-end">
        {!isPhone && button('View', IconEye, null, () => onView(cron._id))}
        {!isPhone && !terminated && (
          <>
            {button('Edit', IconPencil, mayUpdate, () => setOpen('edit'))}
            {button('Terminate', IconX, mayUpdate, () => setOpen('terminate'))}
          </>
        )}
        {(isPhone || !terminated) && (
          <MoreMenu
            cron={cron}
            mayUpdate={mayUpdate}
            {...(isPhone && { onView: () => onView(cron._id) })}
            onAct={start}
            onOpen={setOpen}
          />
        )}
      </Group>
      {(open === 'edit' || open === 'duplicate') && (
        <LoadedEditor cron={cron} isCopy={open === 'duplicate'} onClose={() => setOpen(null)} />
      )}
      {open === 'terminate' && <TerminateDialog cron={cron} onClose={() => setOpen(null)} />}
      {open === 'again' && <RunRangeDialog cron={cron} onClose={() => setOpen(null)} />}
      {open === 'pause' && (
        <PauseDialog
          name={name}
          onPause={(reason) => {
            start('pause', reason)
            setOpen(null)
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

type MoreMenuProps = {
  cron: Cron
  mayUpdate: string | null
  /** Only if the row has no other buttons. */
  onView?: () => void
  onAct: (act: CronAct) => void
  onOpen: (dialog: Open) => void
}

function MoreMenu({
  cron: { name, terminated, paused, mayTakeOver },
  mayUpdate,
  onView,
  onAct,
  onOpen,
}: MoreMenuProps) {
  const whyNot = useWhyNot()
  const mayCreate = useMayCall(schedulerApi.createCron) ? null : whyNot
  const item = (label: string, Icon: typeof IconPencil, onClick: () => void, reason = mayUpdate) => (
    <ReasonedItem label={label} Icon={Icon} reason={reason} onClick={onClick} />
  )
  return (
    <Menu position="bottom-end" width={170} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon size={24} aria-label={`More for ${name}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onView && item('View', IconEye, onView, null)}
        {!terminated && (
          <>
            {onView && item('Edit', IconPencil, () => onOpen('edit'))}
            {onView && item('Terminate', IconX, () => onOpen('terminate'))}
            {item('Run now', IconRun, () => onAct('run'))}
            {item('Run again', IconRepeat, () => onOpen('again'))}
            {paused
              ? item('Resume', IconPlayerPlay, () => onAct('resume'))
              : item('Pause', IconPlayerPause, () => onOpen('pause'))}
            {mayTakeOver && item('Take over', IconUserCheck, () => onAct('takeOver'))}
            {item('Duplicate', IconCopy, () => onOpen('duplicate'), mayCreate)}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

type LoadedEditorProps = { cron: Cron; isCopy: boolean; onClose: () => void }

/**
 * The editor of a cron, once its instruction is loaded; to copy a cron with another timing, the editor of a new one.
 * After a copy it offers to terminate the old one.
 */
function LoadedEditor({ cron, isCopy, onClose }: LoadedEditorProps) {
  const [isCopied, setCopied] = useState(false)
  if (isCopied) return <TerminateDialog title="Terminate the old cron" cron={cron} onClose={onClose} />
  const onSaved = (name: string): void => {
    notifyAct(isCopy ? schedulerMessages.added(name) : schedulerMessages.saved(name))
    if (isCopy) setCopied(true)
    else onClose()
  }
  const common = { consumerCode: cron.consumerCode, onSaved, onClose }
  const title = isCopy ? 'Schedule' : cron.name
  return (
    <OpenedItem title={title} width={cronEditorWidth} read={() => getCron(cron._id)} onClose={onClose}>
      {(fresh) =>
        isCopy ? (
          <CronEditor {...common} kept={null} instruction={fresh.instruction ?? null} initial={copyOf(fresh)} />
        ) : (
          <CronEditor {...common} kept={fresh} instruction={null} />
        )
      }
    </OpenedItem>
  )
}

/** The initial values of a cron's copy, which gets a timing of its own. */
const copyOf = (cron: Cron): CronValues => ({
  ...valuesOf(cron),
  name: `${cron.name.slice(0, 95)} copy`,
  start: '',
  cronEnd: '',
})

type TerminateDialogProps = { title?: string; cron: Cron; onClose: () => void }

function TerminateDialog({ title = 'Terminate', cron, onClose }: TerminateDialogProps) {
  const save = useSaveCron()
  // Terminates the cron in its current version, regardless of what the list still shows.
  const terminate = (): Promise<Cron> =>
    changeFresh(
      () => getCron(cron._id),
      (fresh) => updateCron(cron._id, { ...keptDraft(fresh), terminated: true, version: fresh.version }),
    )
  return (
    <ConfirmDialog
      isOpen
      title={title}
      question={schedulerMessages.confirmTerminate(cron.name)}
      confirmLabel="Terminate"
      isBusy={save.isPending}
      onConfirm={() =>
        save.mutate(terminate, {
          onSuccess: () => notifyAct(schedulerMessages.terminated(cron.name)),
          onError: (error) => notifyError(failureOf(error, 'update cron')),
          onSettled: onClose,
        })
      }
      onClose={onClose}
    />
  )
}

type PauseDialogProps = { name: string; onPause: (reason: string) => void; onClose: () => void }

function PauseDialog({ name, onPause, onClose }: PauseDialogProps) {
  const [reason, setReason] = useState('')
  return (
    <SubmitDialog
      title={`Pause ${name}`}
      width={440}
      submitLabel="Pause"
      isDirty={reason !== ''}
      isBusy={false}
      problem={null}
      onSubmit={() => onPause(reason.trim())}
      onClose={onClose}
    >
      <TextInput
        label="Reason"
        maxLength={300}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </SubmitDialog>
  )
}
