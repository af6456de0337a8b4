import type { ContactChange } from '@portico/contract/contact-edits'
import type { Field } from '@portico/contract/contacts'
import { Anchor, Button, Loader, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatValue } from '#domain/charts'
import { messageOf } from '#lib/api/api-error.ts'
import { formatCount, formatDate } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { accountTimeZone } from '#lib/session/session.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'
import { useContactChanges, useUndoChange } from './contact-edits-queries.ts'
import css from './changes-panel.module.css'

const shownAtFirst = 5

/** The changes of a contact by people and programs, newest first, each of which can be undone. */
export function ChangesPanel({ contact, fields }: { contact: string; fields: readonly Field[] }) {
  const changes = useContactChanges(contact)
  const [isOpen, setOpen] = useState(false)
  const all = changes.data ?? []
  const shown = isOpen ? all : all.slice(0, shownAtFirst)
  return (
    <Panel title="Changes" description={changes.data && formatCount(all.length, 'change')}>
      {changes.isError && <FailureState message={messageOf(changes.error)} onRetry={() => void changes.refetch()} />}
      {changes.isPending && <Loader size={18} aria-label="Loading the changes" />}
      {changes.data && all.length === 0 && (
        <Text size="sm" c="dimmed">
          No values were changed by hand.
        </Text>
      )}
      {shown.length > 0 && (
        <ol className={css['list']} aria-label="Changes, latest first">
          {shown.map((change) => (
            <Change key={change._id} contact={contact} change={change} fields={fields} />
          ))}
        </ol>
      )}
      {shown.length < all.length && (
        <Button variant="default" onClick={() => setOpen(true)}>
          {`Show all ${all.length} changes`}
        </Button>
      )}
    </Panel>
  )
}

const headings = { edited: 'Changed', undone: 'Undone', added: 'Added', merged: 'Merged' } as const

function headingOf({ kind, merged }: ContactChange): string {
  if (!merged) return headings[kind]
  return kind === 'undone' ? `Merge with contact ${merged.contact} undone` : `Merged with contact ${merged.contact}`
}

type ChangeProps = { contact: string; change: ContactChange; fields: readonly Field[] }

function Change({ contact, change, fields }: ChangeProps) {
  const { _id, kind, changedBy, changedAt, via, values, isUndone, merged } = change
  const undo = useUndoChange(contact)
  const at = formatDate(changedAt, accountTimeZone())
  const take = (): void =>
    undo.mutate(_id, {
      onSuccess: () => notifyDone('The change was undone.'),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <li className={css['change']}>
      <div className={css['head']}>
        <Text size="xs" c="dimmed" component="span">
          {`${headingOf(change)} by ${changedBy}${via === null ? '' : ` (${via})`} on ${at}`}
        </Text>
        {isUndone && (
          <Text size="xs" c="dimmed" component="span">
            · undone
          </Text>
        )}
        {kind === 'merged' && !isUndone && (
          <Anchor component={Link} size="xs" to={paths.deletes()}>
            Undo under Deletes
          </Anchor>
        )}
        {kind !== 'added' && !merged && !isUndone && (
          <Button
            size="compact-xs"
            variant="subtle"
            loading={undo.isPending}
            aria-label={`Undo the change of ${values.map(({ field }) => field).join(', ')} on ${at}`}
            onClick={take}
          >
            Undo
          </Button>
        )}
      </div>
      <ul className={css['values']}>
        {values.map(({ field, from, to, shortened }) => {
          const known = fields.find(({ name }) => name === field)
          const text = (value: typeof from, side: 'from' | 'to'): string =>
            shortened?.includes(side) ? `${value}…` : formatValue(value, known?.type, known?.format) || 'no value'
          return (
            <li key={field}>
              <b>{field}</b>
              {kind === 'added' ? `: ${text(to, 'to')}` : `: ${text(from, 'from')} → ${text(to, 'to')}`}
            </li>
          )
        })}
      </ul>
    </li>
  )
}
