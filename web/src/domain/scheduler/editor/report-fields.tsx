import { leastPort } from '@portico/contract/scheduler/crons'
import { downloadDelimiters, fileNameHint, reportPlaceholders } from '@portico/contract/scheduler/instructions'
import { Select, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { delimiterNames } from '#domain/fields'
import { fromNameHint, senderProblem, useSenders } from '#domain/senders'
import { PasswordField } from '#ui/form/password-field.tsx'
import { type FieldsProps, partOf } from './fields-props.ts'

const switches = [
  ['multipleFiles', 'Multiple files'],
  ['zipped', 'Zipped'],
  ['addQuotes', 'Add quotes'],
  ['overwrite', 'Overwrite'],
] as const

type Delimiter = (typeof downloadDelimiters)[number]

/** The switches of a report's files, with their labels. A workbook has no quotes. */
export const downloadSwitches = (delimiter: Delimiter) =>
  switches.filter(([key]) => key !== 'addQuotes' || delimiter !== 'xlsx')

/** The name of a report's delimiter, whether the specification names it or not. */
export const delimiterName = (delimiter: Delimiter): string => (delimiter === 'xlsx' ? delimiterNames.xlsx : delimiter)

const delimiterOptions = downloadDelimiters.map((value) => ({ value, label: delimiterName(value) }))

/** How the tables and charts of a report are arranged in its files. */
function arrangement({ delimiter, multipleFiles }: { delimiter: Delimiter; multipleFiles: boolean }): string {
  if (multipleFiles) return 'A file for each, together in a .zip.'
  return delimiter === 'xlsx' ? 'A workbook with a sheet for each.' : 'Between the values of a row.'
}

/** Name and format of a report's files. */
export const DownloadFields = partOf(['download', 'cells'], function DownloadFields(props: FieldsProps) {
  const {
    values: { download, cells },
    onChange,
    problems,
  } = props
  const change = (part: Partial<typeof download>): void => onChange({ download: { ...download, ...part } })
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        The rows of {cells === null ? 'every table and chart' : 'the chosen tables and charts'} of the dashboard. KPI
        tiles, texts, dropdowns and date pickers are left out.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <TextInput
          label="File Name"
          withAsterisk
          description={fileNameHint}
          maxLength={100}
          value={download.fileName}
          onChange={(event) => change({ fileName: event.currentTarget.value })}
          error={problems.get('instruction.download.fileName')}
        />
        <Select
          label="Delimiter"
          description={arrangement(download)}
          data={delimiterOptions}
          allowDeselect={false}
          value={download.delimiter}
          onChange={(chosen) => change({ delimiter: chosen ?? download.delimiter })}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        {downloadSwitches(download.delimiter).map(([key, label]) => (
          <Switch
            key={key}
            label={label}
            checked={download[key]}
            onChange={(event) => change({ [key]: event.currentTarget.checked })}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
})

const protocolOptions = [
  { value: '', label: 'Download' },
  { value: 'sftp', label: 'sftp' },
]

const transferFields = ['transferProtocol', 'ftpHost', 'ftpFolder', 'ftpPort', 'ftpUser', 'ftpPass'] as const

type TransferFieldsProps = FieldsProps & {
  /** A password is kept unless another is typed. */
  keepsPassword: boolean
}

/** The server that receives a report's files. */
export const TransferFields = partOf(transferFields, function TransferFields(props: TransferFieldsProps) {
  const { values, onChange, problems, keepsPassword } = props
  const text = (field: 'ftpHost' | 'ftpFolder' | 'ftpUser') => ({
    value: values[field],
    onChange: (event: { currentTarget: HTMLInputElement }) => onChange({ [field]: event.currentTarget.value }),
    error: problems.get(field),
    withAsterisk: true,
  })
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <Select
        label="Protocol"
        data={protocolOptions}
        allowDeselect={false}
        value={values.transferProtocol}
        onChange={(chosen) => onChange({ transferProtocol: chosen === 'sftp' ? 'sftp' : '' })}
      />
      {values.transferProtocol !== '' && (
        <>
          <TextInput label="Host" {...text('ftpHost')} />
          <TextInput label="Folder" {...text('ftpFolder')} />
          <TextInput
            type="number"
            label="Port"
            placeholder="22"
            min={leastPort}
            value={values.ftpPort}
            onChange={(event) => onChange({ ftpPort: event.currentTarget.value })}
            error={problems.get('ftpPort')}
          />
          <TextInput label="User Name" autoComplete="off" {...text('ftpUser')} />
          <PasswordField
            label="Password"
            autoComplete="new-password"
            withAsterisk={!keepsPassword}
            {...(keepsPassword && { placeholder: 'Kept unless you type another one' })}
            value={values.ftpPass}
            onChange={(event) => onChange({ ftpPass: event.currentTarget.value })}
            error={problems.get('ftpPass')}
          />
        </>
      )}
    </SimpleGrid>
  )
})

const placeholders = reportPlaceholders.map((name) => `{{${name}}}`).join(', ')

/** The email that announces a report's files. */
export const NotificationFields = partOf(['notification'], function NotificationFields(props: FieldsProps) {
  const {
    values: { notification },
    onChange,
    problems,
  } = props
  const { data: senders } = useSenders(notification.from !== '')
  const text = (field: 'from' | 'fromName' | 'subject' | 'bodyHtml' | 'bodyText') => ({
    value: notification[field],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ notification: { ...notification, [field]: event.currentTarget.value } }),
    error:
      problems.get(`instruction.notification.${field}`) ??
      (field === 'from' ? senderProblem(notification.from, senders) : null),
  })
  const isSent = notification.from !== ''
  return (
    <Stack gap="sm">
      <Text size="xs" c="dimmed">
        Without a sender no email is sent. The texts may hold {placeholders}.
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <TextInput label="From" type="email" {...text('from')} />
        <TextInput
          label="From Name"
          description={fromNameHint(notification.from, senders)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          withAsterisk={isSent}
          {...text('fromName')}
        />
      </SimpleGrid>
      <TextInput label="Subject" withAsterisk={isSent} {...text('subject')} />
      <Textarea label="HTML Body" rows={4} withAsterisk={isSent} {...text('bodyHtml')} />
      <Textarea label="Text Body" rows={3} {...text('bodyText')} />
      <Switch
        label="Attach the files, up to 10 MB"
        checked={notification.attachFiles}
        onChange={(event) => onChange({ notification: { ...notification, attachFiles: event.currentTarget.checked } })}
      />
    </Stack>
  )
})
