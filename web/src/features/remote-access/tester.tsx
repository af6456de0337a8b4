import type { NewRemoteAccess, RemoteAccessTrialResult, RemoteAccessType } from '@portico/contract/remote-access'
import { Badge, Code, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { KeyboardEvent } from 'react'
import IconPlayerPlay from '#icons/IconPlayerPlay'
import { useSubmit } from '#lib/submit.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { columnLabel } from './access-form.ts'
import { originOf } from './page-snippet.ts'
import { useTrial } from './remote-access-queries.ts'
import css from './remote-access.module.css'

type TesterProps = {
  type: RemoteAccessType
  domainOrIp: string
  /** Columns whose values the caller provides. */
  columns: string[]
  /** The stored access; null for a new one. */
  id: string | null
  /** Settings that are not saved yet. */
  draft?: NewRemoteAccess | null
  /** Why trying is disabled. */
  reason?: string | null
}

/** `typed`: the caller, which follows the settings until the user types another. */
type TesterValues = { typed: string | null; query: Record<string, string> }

/** Makes a call as a stranger would, and shows the reply. */
export function Tester({ type, domainOrIp, columns, id, draft = null, reason = null }: TesterProps) {
  const trial = useTrial()
  const form = useForm<TesterValues>({ initialValues: { typed: null, query: {} }, onValuesChange: trial.reset })
  const { submit, problem, isBusy } = useSubmit(form, trial, {
    // Problems of the settings have no field here.
    findField: (field) => (field === 'origin' || field === 'address' ? 'typed' : 'query'),
  })
  const { typed, query } = form.values
  const isDomain = type === 'domain'
  const caller = typed ?? (isDomain ? originOf(domainOrIp) : domainOrIp)
  function run(): void {
    if (reason !== null) return
    form.clearErrors()
    submit({
      ...(isDomain ? { origin: caller } : { address: caller }),
      query: Object.fromEntries(columns.map((name) => [name, query[name] ?? ''])),
      ...(draft && { draft }),
      ...(id !== null && { id }),
    })
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    run()
  }
  return (
    // As in a form, Enter in an input tries it; forms cannot be nested in that of a dialog.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys of the inputs within, as of a form
    <section aria-label="Try it" onKeyDown={onKeyDown}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Shows the reply a caller would get. Nothing is counted or recorded.
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm">
          <TextInput
            label={isDomain ? 'As a page of' : 'As a program at'}
            autoComplete="off"
            spellCheck={false}
            value={caller}
            error={trial.error && form.errors['typed']}
            onChange={(event) => form.setFieldValue('typed', event.currentTarget.value)}
          />
          {columns.map((name) => (
            <TextInput
              key={name}
              label={`with ${columnLabel(name)}`}
              autoComplete="off"
              spellCheck={false}
              value={query[name] ?? ''}
              onChange={(event) => form.setFieldValue('query', { ...query, [name]: event.currentTarget.value })}
            />
          ))}
        </SimpleGrid>
        <div>
          <ReasonedButton label="Try" Icon={IconPlayerPlay} reason={reason} isLoading={isBusy} onClick={run} />
        </div>
        <FormProblem>{trial.error && (form.errors['query'] ?? problem)}</FormProblem>
        <output className={css['reply']}>{trial.data && <TrialReply reply={trial.data} />}</output>
      </Stack>
    </section>
  )
}

function TrialReply({ reply: { status, offer, text } }: { reply: RemoteAccessTrialResult }) {
  return (
    <>
      <span className={css['rating']}>
        <Badge color={status === 200 ? 'green' : 'red'} tt="none" fw={600} miw="max-content">
          {status}
        </Badge>
        <Text component="span" size="sm">
          {text}
        </Text>
      </span>
      {offer && <Code block>{JSON.stringify(offer, null, 2)}</Code>}
    </>
  )
}
