import { type DownloadEntry, fileDays } from '@portico/contract/downloads'
import IconDownload from '#icons/IconDownload'
import { messageOf } from '#lib/api/api-error.ts'
import { notifyError } from '#ui/feedback/notify.ts'
import { RowButton } from '#ui/feedback/reasoned-button.tsx'
import { useDownloadLink } from './downloads-queries.ts'

/** Why a file in the list no longer exists. */
export const removedText = `The file was removed after ${fileDays} days.`

export function DownloadButton({ item }: { item: DownloadEntry }) {
  const link = useDownloadLink()
  const download = (): void =>
    link.mutate(item._id, {
      // The server sends an attachment, so the page stays.
      onSuccess: ({ url }) => window.location.assign(url),
      onError: (error) => notifyError(messageOf(error)),
    })
  return (
    <RowButton
      label={`Download ${item.fileName}`}
      hint="Download"
      Icon={IconDownload}
      color="brand"
      reason={item.isExpired ? removedText : null}
      isLoading={link.isPending}
      onClick={download}
    />
  )
}
