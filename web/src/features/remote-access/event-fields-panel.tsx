import type { OfferedEventField } from '@portico/contract/events'
import { eventFieldName } from '@portico/domain/event-fields'
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import { useSubmit } from '#lib/submit.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { Panel } from '#ui/page/panel.tsx'
import { useAddEventField, useEventFields, useOfferedEventFields, useRemoveEventField } from './event-fields-queries.ts'
import css from './remote-access.module.css'

/** Custom fields of events: those the account has, and names sent by pages that can be added. */
export function EventFieldsPanel({ canChange }: { canChange: boolean }) {
  const fields = useEventFields()
  const offered = useOfferedEventFields()
  const problem = fields.error ?? offered.error
  return (
    <Panel
      title="Event fields"
      description="Fields of your own that events can have. Pages can only send the fields listed here. Other names they send are offered below, without their values."
    >
      {problem ? (
        <FailureState
          message={messageOf(problem)}
          onRetry={() => void Promise.all([fields.refetch(), offered.refetch()])}
        />
      ) : (
        <Stack gap="md">
          <FieldList names={fields.data ?? []} canChange={canChange} />
          {canChange && <NewField />}
          {(offered.data ?? []).length > 0 && <OfferedList fields={offered.data ?? []} canChange={canChange} />}
        </Stack>
      )}
    </Panel>
  )
}

function FieldList({ names, canChange }: { names: string[]; canChange: boolean }) {
  const remove = useRemove()
  if (names.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No event fields yet.
      </Text>
    )
  }
  return (
    <ul className={css['fields']} aria-label="Event fields">
      {names.map((name) => (
        <li key={name}>
          <span>{name}</span>
          {canChange && (
            <Button
              variant="subtle"
              size="compact-xs"
              aria-label={`Remove ${name}`}
              onClick={() => remove(name, `The event field "${name}" was removed.`)}
            >
              Remove
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}

function NewField() {
  const form = useForm({ initialValues: { name: '' } })
  const { submit, isBusy } = useSubmit(form, useAddEventField(), {
    restField: 'name',
    done: () => {
      notifyDone(`The event field "${eventFieldName(form.values.name)}" was added.`)
      form.reset()
    },
  })
  const { name } = form.values
  const onSubmit = (): void => {
    if (eventFieldName(name) !== '') submit(name)
  }
  return (
    <form onSubmit={form.onSubmit(onSubmit)}>
      <Group gap="sm" align="flex-end">
        <TextInput label="New event field" {...form.getInputProps('name')} />
        <Button type="submit" variant="default" loading={isBusy} disabled={eventFieldName(name) === ''}>
          Add
        </Button>
      </Group>
    </form>
  )
}

function OfferedList({ fields, canChange }: { fields: OfferedEventField[]; canChange: boolean }) {
  const add = useAddEventField()
  const remove = useRemove()
  const onAdd = (name: string): void =>
    add.mutate(name, {
      onSuccess: () => notifyDone(`The event field "${name}" was added.`),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <section aria-label="Offered by pages">
      <Title order={3}>Offered by pages</Title>
      <ul className={css['fields']} aria-label="Offered by pages">
        {fields.map(({ name, lastSeenAt }) => (
          <li key={name}>
            <span>{name}</span>
            <Text span size="xs" c="dimmed">{`last sent ${formatDate(lastSeenAt)}`}</Text>
            {canChange && (
              <>
                <Button variant="subtle" size="compact-xs" aria-label={`Add ${name}`} onClick={() => onAdd(name)}>
                  Add
                </Button>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  aria-label={`Dismiss ${name}`}
                  onClick={() => remove(name, `"${name}" was dismissed.`)}
                >
                  Dismiss
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Removes a field or dismisses an offered name; confirms it, or shows why it failed. */
function useRemove(): (name: string, done: string) => void {
  const remove = useRemoveEventField()
  return (name, done) =>
    remove.mutate(name, {
      onSuccess: () => notifyDone(done),
      onError: (error) => notifyError(messageOf(error)),
    })
}
