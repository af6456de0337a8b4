import type { Stages } from '@portico/contract/filter'
import type { DownloadSettings, NotificationSettings } from '@portico/contract/scheduler/instructions'
import type { OffsetWindow } from '@portico/domain/scheduler/window-condition'
import type { ColumnType, JSONColumnType, Selectable } from 'kysely'
import type { StoredRequest } from '#credentials'
import type { FileJobTable } from '#platform/jobs/file-attempt.ts'

/** The contents of a report, and its destinations. */
export type ReportSettings = {
  dashboard: string
  /** Id of a saved filter that narrows every cell; null if none. */
  savedFilter: string | null
  /** Ids of the chosen tables and charts; all of them if absent. */
  cells?: string[]
  /** Null for all dates. Reports planned by an earlier release have no days. */
  window: OffsetWindow | (Pick<OffsetWindow, 'start' | 'end'> & { from?: undefined }) | null
  /**
   * The holder whose rights the report reads with; missing in reports begun by an earlier release, which have
   * `identityId`.
   */
  holder?: string
  identityId?: string
  /** Stages that select the contacts the holder may see, null for all; absent in reports older than row rules. */
  rows?: Stages | null
  /** The request that saved the cron; missing in reports begun by an earlier release. */
  cron?: StoredRequest
  download: DownloadSettings
  /** Name of the file on an SFTP server. */
  remoteName: string
  /** Null if no email is sent. */
  email: (NotificationSettings & { to: string[]; dueText: string }) | null
}

type ReportTable = FileJobTable & {
  name: string
  creator: string
  created_at: Date
  settings: JSONColumnType<ReportSettings>
  file_name: string
  file_size: ColumnType<string | null, number | null | undefined, number | null>
  file_removed_at: Date | null
}

export type Tables = { reports: ReportTable }
export type ReportRow = Selectable<ReportTable>
