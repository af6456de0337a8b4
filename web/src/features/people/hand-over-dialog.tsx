import { mostHandedOver, type OwnedItem, OwnedKind, type PersonDetails } from '@portico/contract/people'
import { Button, Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSubmit } from '#lib/submit.ts'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { useHandOver, usePreviewHandOver } from './people-queries.ts'
import { counted } from './person-words.ts'
import css from './people.module.css'

const kinds = {
  dashboard: 'Dashboard',
  cron: 'Cron',
  'saved-filter': 'Saved filter',
} as const satisfies Record<OwnedKind, string>

const describe = ({ kind, name, account }: OwnedItem): string => `${kinds[kind]} ${name}, in ${account.Value}`

/** Whether more of a kind may follow these. */
const isFullPage = (items: readonly OwnedItem[]): boolean =>
  OwnedKind.options.some((kind) => items.filter((item) => item.kind === kind).length >= mostHandedOver)

/** Hands over what a person owns: first the receiver, then the list of what moves and what stays. */
export function HandOverDialog({ person, onClose }: { person: PersonDetails; onClose: () => void }) {
  const { _id, email: from } = person
  const [email, setEmail] = useState('')
  const [emailProblem, setEmailProblem] = useState<string | null>(null)
  const [items, setItems] = useState<OwnedItem[] | null>(null)
  /** How many of each kind come before those that are listed. */
  const [skip, setSkip] = useState(0)
  const [chosen, setChosen] = useState<string[]>([])
  const form = {
    values: { email, items: chosen },
    setFieldError: (field: string, message: string) => field === 'email' && setEmailProblem(message),
  }
  const preview = useSubmit(form, usePreviewHandOver(_id), {
    done: (listed) => {
      setItems(listed)
      setChosen(listed.filter(({ refusal }) => refusal === null).map((item) => item._id))
    },
  })
  const move = useSubmit(form, useHandOver(_id), {
    done: ({ moved, stayed }) => {
      notifyDone(`${counted(moved.length, 'item was', 'items were')} handed over to '${email}'.`)
      if (stayed.length > 0) notifyError(`These stay: ${stayed.map(({ name }) => name).join(', ')}.`)
      onClose()
    },
  })
  const changeEmail = (next: string): void => {
    setEmail(next)
    setEmailProblem(null)
    setItems(null)
  }
  const show = (from: number): void => {
    setSkip(from)
    preview.submit({ email: email.trim(), skip: from })
  }
  const submit = (): void => {
    if (items === null) show(0)
    else if (chosen.length > 0) move.submit({ email: email.trim(), items: chosen })
    else onClose()
  }
  return (
    <SubmitDialog
      title="Hand over"
      width={560}
      submitLabel={
        items === null
          ? 'Show What Moves'
          : chosen.length > 0
            ? `Hand Over ${counted(chosen.length, 'Item', 'Items')}`
            : 'Close'
      }
      isDirty={email !== ''}
      isBusy={preview.isBusy || move.isBusy}
      problem={preview.problem ?? move.problem}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onClose={onClose}
    >
      <Text size="sm">
        {`Dashboards, crons and saved filters of ${from} go to another person. They act by the rights of that person from then on;
        what these rights do not allow stays.`}
      </Text>
      <TextInput
        label="To (email)"
        type="email"
        autoComplete="off"
        required
        data-autofocus
        value={email}
        error={emailProblem}
        onChange={(event) => changeEmail(event.currentTarget.value)}
      />
      {items !== null && items.length === 0 && (
        <Text size="sm">{`'${from}' owns nothing ${skip > 0 ? 'more ' : ''}in your accounts.`}</Text>
      )}
      <ItemLists items={items ?? []} chosen={chosen} onChoose={setChosen} />
      {items !== null && isFullPage(items) && (
        <div>
          <Button variant="default" loading={preview.isBusy} onClick={() => show(skip + mostHandedOver)}>
            {`Show the Next ${mostHandedOver} of Each Kind`}
          </Button>
          <Text size="xs" c="dimmed" mt={4}>
            Hand over the chosen ones first: the next list replaces this one.
          </Text>
        </div>
      )}
    </SubmitDialog>
  )
}

type Lists = { items: readonly OwnedItem[]; chosen: string[]; onChoose: (ids: string[]) => void }

function ItemLists({ items, chosen, onChoose }: Lists) {
  const moving = items.filter(({ refusal }) => refusal === null)
  const staying = items.filter(({ refusal }) => refusal !== null)
  return (
    <>
      {moving.length > 0 && (
        <Checkbox.Group label="What moves" value={chosen} onChange={onChoose}>
          <Stack gap="xs" mt="xs" className={css['items'] ?? ''}>
            {moving.map((item) => (
              <Checkbox key={item._id} value={item._id} label={describe(item)} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      {staying.length > 0 && (
        <section aria-label="What stays">
          <Text size="sm" fw={500}>
            What stays
          </Text>
          <ul className={css['lines']}>
            {staying.map((item) => (
              <li key={item._id} className={css['line']}>
                <div>
                  {describe(item)}
                  <div className={css['more']}>{item.refusal}</div>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
