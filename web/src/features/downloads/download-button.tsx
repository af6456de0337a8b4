import type { Export } from '@portico/contract/exports'
import { ActionIcon } from '@mantine/core'
import IconDownload from '#icons/IconDownload'
import { messageOf } from '#lib/api-error.ts'
import { notifyError } from '#ui/notify.ts'
import { useDownloadLink } from './downloads-queries.ts'

export function DownloadButton({ item }: { item: Export }) {
  const link = useDownloadLink()
  const download = (): void =>
    link.mutate(item, {
      // The server answers with an attachment, so the page stays.
      onSuccess: ({ url }) => window.location.assign(url),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <ActionIcon
      size={24}
      aria-label={`Download ${item.name}`}
      title={item.isExpired ? 'The file has expired' : 'Download'}
      color="brand"
      disabled={item.isExpired}
      loading={link.isPending}
      onClick={download}
    >
      <IconDownload size={17} aria-hidden />
    </ActionIcon>
  )
}
