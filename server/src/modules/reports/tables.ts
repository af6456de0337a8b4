import type { Stages } from '@portico/contract/filter'
import type { DownloadSettings, NotificationSettings } from '@portico/contract/scheduler/instructions'
import type { OffsetWindow } from '@portico/domain/scheduler/window-condition'
import type { ColumnType, JSONColumnType, Selectable } from 'kysely'
import type { StoredRequest } from '#credentials'
import type { FileJobTable } from '#platform/jobs/file-attempt.ts'

/** The contents of a report, and its destinations. */
export type ReportSettings = {
  dashboard: string
  /** Id of a saved filter that narrows every cell; null for none. */
  savedFilter: string | null
  /** Ids of its tables and charts; all of them without. */
  cells?: string[]
  /** Null for all dates. Reports that an earlier release planned have no days. */
  window: OffsetWindow | (Pick<OffsetWindow, 'start' | 'end'> & { from?: undefined }) | null
  /** Whose rights it reads with; missing in those that an earlier release has begun, which have `identityId`. */
  holder?: string
  identityId?: string
  /** The contacts that they may see, null for all; absent in reports that are older than row rules. */
  rows?: Stages | null
  /** The call that saved its cron; missing in reports that an earlier release has begun. */
  cron?: StoredRequest
  download: DownloadSettings
  /** Name of the file at an SFTP server. */
  remoteName: string
  /** Null where no email is sent. */
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
