import { Alert, Button, Center, Group, Loader, Text } from '@mantine/core'
import { useMemo } from 'react'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { useImportPreview } from '../imports-queries.ts'
import { HeaderPanel } from '../new-import/header-panel.tsx'
import { type ImportFile, readingOf } from '../new-import/import-file.ts'
import { useRememberedHeader } from '../new-import/remembered-choices.ts'
import type { EventForm } from './event-import-rules.ts'
import { useRememberedEvents } from './remembered-events.ts'

/** The header of a file of events: as read by the browser or, once the file was sent, by the portal. */
export function useEventHeader(form: EventForm, file: ImportFile, sent: { file: File | null; count: number }) {
  const isSent = file.file !== null && sent.file === file.file
  const filePath = isSent ? file.file?.name : undefined
  const { fileDelimiter, typeCasting } = form.values
  const options = {
    fileDelimiter,
    ...readingOf(file),
    describeHeader: true as const,
    typeCasting,
    kind: 'events' as const,
  }
  const preview = useImportPreview(sent.count, filePath ? { filePath, ...options } : null)
  useRememberedHeader(file, sent.count, preview.data)
  useRememberedEvents(form, sent.count, preview.data)
  const refusal = preview.data?.header?.refusal ?? (isSent && preview.error ? messageOf(preview.error) : null)
  const seen = useMemo(() => preview.data?.columns.map(({ name }) => name), [preview.data])
  return {
    columns: file.header?.columns ?? (isSent && refusal === null ? (seen ?? null) : null),
    header: isSent ? (preview.data?.header ?? null) : null,
    refusal,
    preview: isSent ? preview.data : null,
    isSent,
    isRefused:
      isSent && ((preview.data?.header?.refusal ?? null) !== null || isApiError(preview.error, 'invalid_input')),
  }
}

type EventHeaderProps = Omit<ReturnType<typeof useEventHeader>, 'columns' | 'isRefused'> & {
  file: ImportFile
  isBusy: boolean
  onSend: () => void
}

/** The chosen file's header as the portal reads it: its line and column names can be corrected. */
export function EventHeader({ file, header, preview, refusal, isSent, isBusy, onSend }: EventHeaderProps) {
  if (!file.file) return null
  if (!isSent && !isBusy) {
    return (
      <Group gap="xs">
        <Button variant="default" onClick={onSend}>
          Check the header
        </Button>
        <Text size="sm" c="dimmed">
          The file is sent first; nothing is imported before you submit.
        </Text>
      </Group>
    )
  }
  if (!header && refusal === null) {
    return (
      <Center>
        <Loader size={22} aria-label="Looking into the file" />
      </Center>
    )
  }
  return (
    <>
      {header && <HeaderPanel file={file} header={header} />}
      {preview?.remembered && (
        <Text size="sm" c="dimmed">{`Starts from the choices of the import '${preview.remembered.name}'.`}</Text>
      )}
      {refusal !== null && (
        <Alert
          color="red"
          role="alert"
          icon={<IconAlertTriangle size={18} />}
          title="The file cannot be imported like this"
          style={{ overflowWrap: 'anywhere' }}
        >
          {refusal}
        </Alert>
      )}
    </>
  )
}
