import { httpMethods, placeholders } from '@portico/contract/notifications'
import { PasswordInput, Select, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core'
import { fromNameHint, useSenders } from '#domain/senders'
import type { DraftOf, NotificationDraft } from './notification-drafts.ts'

type FieldsProps<Draft extends NotificationDraft = NotificationDraft> = {
  draft: Draft
  problems: Record<string, string>
  onChange: (draft: NotificationDraft) => void
}

/** The fields of a notification, by its kind. */
export function NotificationFields({ draft, ...rest }: FieldsProps) {
  if (draft.type === 'email') return <EmailFields draft={draft} {...rest} />
  if (draft.type === 'http') return <HttpFields draft={draft} {...rest} />
  return <SftpFields draft={draft} {...rest} />
}

/** Props of every text field of a draft. */
function field<Draft extends NotificationDraft>(
  { draft, problems, onChange }: FieldsProps<Draft>,
  name: Exclude<keyof Draft, 'type'> & string,
) {
  return {
    // Every field of a draft except its type is text.
    value: draft[name] as string,
    error: problems[name],
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...draft, [name]: event.currentTarget.value }),
  }
}

const grid = { cols: { base: 1, sm: 2 }, spacing: 'md', verticalSpacing: 'sm' } as const

function EmailFields(props: FieldsProps<DraftOf<'email'>>) {
  const { data: senders } = useSenders(props.draft.from !== '')
  return (
    <>
      <SimpleGrid {...grid}>
        <TextInput label="From" inputMode="email" withAsterisk {...field(props, 'from')} />
        <TextInput
          label="From Name"
          description={fromNameHint(props.draft.from, senders)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...field(props, 'fromName')}
        />
      </SimpleGrid>
      <TextInput label="To" description="Separate several emails with commas." withAsterisk {...field(props, 'to')} />
      <TextInput label="Subject" withAsterisk {...field(props, 'subject')} />
      <Textarea label="HTML Body" withAsterisk rows={4} {...field(props, 'htmlBody')} />
      <Textarea label="Text Body" rows={3} {...field(props, 'textBody')} />
      <Placeholders />
    </>
  )
}

function HttpFields(props: FieldsProps<DraftOf<'http'>>) {
  const { draft, problems, onChange } = props
  return (
    <>
      <SimpleGrid {...grid}>
        <Select
          label="Method"
          withAsterisk
          data={httpMethods.map((value) => ({ value, label: value.toUpperCase() }))}
          value={draft.method || null}
          error={problems['method']}
          onChange={(method) => onChange({ ...draft, method: method ?? '' })}
        />
        <TextInput label="Endpoint" withAsterisk {...field(props, 'endpoint')} />
      </SimpleGrid>
      <Textarea label="Headers" description="A JSON object." rows={3} {...field(props, 'headers')} />
      <Textarea label="Body" description="A JSON object; for POST and PUT only." rows={4} {...field(props, 'body')} />
      {draft.method === 'post' && (
        <TextInput
          label="Signed URL Expiry (seconds)"
          inputMode="numeric"
          withAsterisk
          {...field(props, 'signedUrlExpiryBySecond')}
        />
      )}
      <Placeholders />
    </>
  )
}

function SftpFields(props: FieldsProps<DraftOf<'sftp'>>) {
  const password = field(props, 'password')
  return (
    <>
      <SimpleGrid {...grid}>
        <TextInput label="Host" withAsterisk {...field(props, 'host')} />
        <TextInput label="Port" inputMode="numeric" withAsterisk {...field(props, 'port')} />
        <TextInput label="User" withAsterisk {...field(props, 'user')} />
        <PasswordInput label="Password" withAsterisk {...password} autoComplete="new-password" />
      </SimpleGrid>
      <TextInput label="Folder" {...field(props, 'folder')} />
      <Textarea
        label="Private Key"
        description="Used instead of the password. If a password is set, it is the key's passphrase."
        rows={3}
        {...field(props, 'privateKey')}
      />
    </>
  )
}

function Placeholders() {
  return (
    <Text size="xs" c="dimmed">
      {`Placeholders: ${placeholders.map((name) => `{{${name}}}`).join(' ')}`}
    </Text>
  )
}
