import type { Export } from '@portico/contract/exports'
import { ActionIcon, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import IconBan from '#icons/IconBan'
import IconDownload from '#icons/IconDownload'
import { messageOf } from '#lib/api/api-error.ts'
import { CancelJobDialog, isRunning } from '#domain/job-lists'
import { notifyError } from '#ui/feedback/notify.ts'
import { useCancelExport, useDownloadLink } from './exports-queries.ts'

/** The buttons of a row: the file, once it exists, and Cancel for a running export. */
export function ExportActions({ item }: { item: Export }) {
  const link = useDownloadLink()
  const download = (): void =>
    link.mutate(item, {
      // The server sends an attachment, so the page stays.
      onSuccess: ({ url }) => window.location.assign(url),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <CancelButton item={item} />
      <ActionIcon
        size={24}
        aria-label={`Download ${item.name}`}
        title={downloadTitle(item)}
        color="brand"
        disabled={item.status !== 'completed' || item.isExpired}
        loading={link.isPending}
        onClick={download}
      >
        <IconDownload size={17} aria-hidden />
      </ActionIcon>
    </Group>
  )
}

function downloadTitle({ status, isExpired }: Export): string {
  if (isExpired) return 'The file has expired'
  return status === 'completed' ? 'Download' : 'Available when the export is completed'
}

function CancelButton({ item }: { item: Export }) {
  const [isAsking, { open, close }] = useDisclosure()
  const cancel = useCancelExport()
  return (
    <>
      {isRunning(item) && (
        <ActionIcon size={24} aria-label={`Cancel ${item.name}`} title="Cancel export" color="red" onClick={open}>
          <IconBan size={16} aria-hidden />
        </ActionIcon>
      )}
      <CancelJobDialog noun="export" job={item} isOpen={isAsking} cancel={cancel} onClose={close} />
    </>
  )
}
