import type { Import } from '@portico/contract/imports'
import { Anchor } from '@mantine/core'
import { messageOf } from '#lib/api/api-error.ts'
import { notifyError } from '#ui/feedback/notify.ts'
import { useSetAsideReport } from './imports-queries.ts'

/** The report of set-aside rows and cells. */
export function ReportLink({ item }: { item: Import }) {
  const download = useReportDownload(item._id)
  return (
    <Anchor component="button" type="button" size="sm" onClick={download.start} disabled={download.isPending}>
      Download report
    </Anchor>
  )
}

/** Downloads the report of an import: its link is requested on the click, as links expire. */
export function useReportDownload(id: string): { start: () => void; isPending: boolean } {
  const report = useSetAsideReport()
  const start = (): void =>
    report.mutate(id, {
      // The server sends an attachment, so the page stays.
      onSuccess: ({ url }) => window.location.assign(url),
      onError: (error) => notifyError(messageOf(error)),
    })
  return { start, isPending: report.isPending }
}
