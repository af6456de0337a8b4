import type { NewRemoteAccess, RemoteAccessTrialResult, RemoteAccessType } from '@portico/contract/remote-access'
import { Badge, Code, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import IconPlayerPlay from '#icons/IconPlayerPlay'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { FormProblem } from '#ui/form/form-problem.tsx'
import { columnLabel } from './access-form.ts'
import { originOf } from './page-snippet.ts'
import { useTrial } from './remote-access-queries.ts'
import css from './remote-access.module.css'

type TesterProps = {
  type: RemoteAccessType
  domainOrIp: string
  /** Columns that the caller gives values of. */
  columns: string[]
  /** The stored access; null for a new one. */
  id: string | null
  /** Settings that are not saved yet. */
  draft?: NewRemoteAccess | null
  /** Why nothing can be tried. */
  reason?: string | null
}

/** Makes a call as a stranger would, and shows the reply. */
export function Tester({ type, domainOrIp, columns, id, draft = null, reason = null }: TesterProps) {
  const trial = useTrial()
  // The caller follows the settings until it is typed over.
  const [typed, setTyped] = useState<string | null>(null)
  const [query, setQuery] = useState<Record<string, string>>({})
  const caller = typed ?? (type === 'domain' ? originOf(domainOrIp) : domainOrIp)
  const isDomain = type === 'domain'
  const callerProblem = problemsIn(trial.error).find(({ field }) => field === 'origin' || field === 'address')?.message
  function run(): void {
    if (reason !== null) return
    trial.mutate({
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
            error={callerProblem}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              trial.reset()
            }}
          />
          {columns.map((name) => (
            <TextInput
              key={name}
              label={`with ${columnLabel(name)}`}
              autoComplete="off"
              spellCheck={false}
              value={query[name] ?? ''}
              onChange={(event) => {
                setQuery({ ...query, [name]: event.currentTarget.value })
                trial.reset()
              }}
            />
          ))}
        </SimpleGrid>
        <div>
          <ReasonedButton label="Try" Icon={IconPlayerPlay} reason={reason} isLoading={trial.isPending} onClick={run} />
        </div>
        <FormProblem>{trial.error && callerProblem === undefined ? describe(trial.error) : null}</FormProblem>
        <output className={css['reply']}>{trial.data && <TrialReply reply={trial.data} />}</output>
      </Stack>
    </section>
  )
}

const problemsIn = (error: unknown) => (isApiError(error) ? error.fieldProblems : [])

/** Problems of the settings have no field here. */
function describe(error: Error): string {
  const texts = problemsIn(error).map(({ message }) => message)
  return texts.length > 0 ? texts.join(' ') : messageOf(error)
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
