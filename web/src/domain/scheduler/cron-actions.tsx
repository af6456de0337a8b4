import { schedulerApi } from '@portico/contract/scheduler'
import type { Cron } from '@portico/contract/scheduler/crons'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import IconCopy from '#icons/IconCopy'
import IconPencil from '#icons/IconPencil'
import IconPlayerPause from '#icons/IconPlayerPause'
import IconPlayerPlay from '#icons/IconPlayerPlay'
import IconRun from '#icons/IconRun'
import IconUserCheck from '#icons/IconUserCheck'
import IconX from '#icons/IconX'
import { messageOf } from '#lib/api/api-error.ts'
import { useMayCall } from '#lib/session/may-call.ts'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { CronEditor } from './editor/cron-editor.tsx'
import { keptDraft, valuesOf } from './editor/cron-values.ts'
import { type CronAct, useCron, useCronAct, useSaveCron } from './scheduler-queries.ts'

type Open = 'edit' | 'duplicate' | 'terminate' | 'pause'

const doneTexts: Record<CronAct, (name: string) => string> = {
  pause: (name) => `${name} is paused.`,
  resume: (name) => `${name} is active again.`,
  run: (name) => `${name} runs now.`,
  takeOver: (name) => `${name} now runs with your rights.`,
}

/** The buttons of a cron's row. A terminated cron has none but Duplicate. */
export function CronActions({ cron }: { cron: Cron }) {
  const { name, paused, terminated } = cron
  const [open, setOpen] = useState<Open | null>(null)
  const mayUpdate = useMayCall(schedulerApi.updateCron) ? null : schedulerMessages.contactAdmin
  const mayCreate = useMayCall(schedulerApi.createCron) ? null : schedulerMessages.contactAdmin
  const act = useCronAct()
  const start = (kind: CronAct, reason?: string): void =>
    act.mutate(
      { id: cron._id, act: kind, ...(reason !== undefined && { reason }) },
      { onSuccess: () => notifyDone(doneTexts[kind](name)), onError: (error) => notifyError(messageOf(error)) },
    )
  const button = (hint: string, Icon: typeof IconPencil, reason: string | null, onClick: () => void) => (
    <RowButton label={`${hint} ${name}`} hint={hint} Icon={Icon} reason={reason} onClick={onClick} />
  )
  return (
    <>
      <Group gap={2} wrap="nowrap" justify="flex-end">
        {!terminated && (
          <>
            {button('Edit', IconPencil, mayUpdate, () => setOpen('edit'))}
            {button('Run now', IconRun, mayUpdate, () => start('run'))}
            {paused
              ? button('Resume', IconPlayerPlay, mayUpdate, () => start('resume'))
              : button('Pause', IconPlayerPause, mayUpdate, () => setOpen('pause'))}
            {cron.mayTakeOver && button('Take over', IconUserCheck, mayUpdate, () => start('takeOver'))}
          </>
        )}
        {button('Duplicate', IconCopy, mayCreate, () => setOpen('duplicate'))}
        {!terminated && button('Terminate', IconX, mayUpdate, () => setOpen('terminate'))}
      </Group>
      {(open === 'edit' || open === 'duplicate') && (
        <LoadedEditor id={cron._id} isCopy={open === 'duplicate'} onClose={() => setOpen(null)} />
      )}
      {open === 'terminate' && <TerminateDialog cron={cron} onClose={() => setOpen(null)} />}
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

/** The editor of a cron, once its instruction is loaded; for a copy with other timing, as a new cron. */
function LoadedEditor({ id, isCopy, onClose }: { id: string; isCopy: boolean; onClose: () => void }) {
  const { data } = useCron(id)
  if (!data) return null
  const onSaved = (name: string): void => {
    notifyDone(isCopy ? schedulerMessages.added(name) : schedulerMessages.saved(name))
    onClose()
  }
  const common = { consumerCode: data.consumerCode, onSaved, onClose }
  if (!isCopy) return <CronEditor {...common} kept={data} instruction={null} />
  const initial = { ...valuesOf(data), name: `${data.name.slice(0, 95)} copy`, start: '', cronEnd: '' }
  return <CronEditor {...common} kept={null} instruction={data.instruction ?? null} initial={initial} />
}

function TerminateDialog({ cron, onClose }: { cron: Cron; onClose: () => void }) {
  const { data } = useCron(cron._id)
  const save = useSaveCron()
  return (
    <ConfirmDialog
      isOpen
      title="Terminate"
      question={schedulerMessages.confirmTerminate(cron.name)}
      confirmLabel="Terminate"
      isBusy={save.isPending || !data}
      onConfirm={() =>
        data &&
        save.mutate(
          { id: cron._id, body: { ...keptDraft(data), terminated: true } },
          {
            onSuccess: () => notifyDone(schedulerMessages.terminated(cron.name)),
            onError: (error) => notifyError(messageOf(error)),
            onSettled: onClose,
          },
        )
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
