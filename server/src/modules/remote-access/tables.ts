import type { CallRefusal, RemoteAccessType } from '@portico/contract/remote-access'
import type { ColumnType, Generated, JSONColumnType, Selectable } from 'kysely'
import type { ActsAs } from '#credentials'
import type { BigintColumn } from '#platform/database.ts'
import type { VersionColumns } from '#platform/rows/versions.ts'

/** Table `remote_accesses` of an account. */
export type RemoteAccessTable = VersionColumns & {
  id: Generated<string>
  type: RemoteAccessType
  domain_or_ip: string
  include_sub_domains: boolean
  authentication_columns: string[]
  public_columns: string[]
  creator: string
  created_at: ColumnType<Date, Date, never>
  is_paused: boolean
  expires_at: Date | null
  last_used_at: ColumnType<Date | null, never, Date>
  /** The right that it was saved with; null for the portal's own, and for those of releases that did not store it. */
  acts_as: JSONColumnType<ActsAs> | null
}
export type RemoteAccessRow = Selectable<RemoteAccessTable>

/** Numbers of calls by outcome, and of events and fields received. */
export type CallFigures = {
  served: number
  not_found: number
  several: number
  refused: number
  limited: number
  events: number
  dropped: number
}

export type Tables = {
  remote_accesses: RemoteAccessTable
  remote_access_days: CallFigures & { access_id: BigintColumn; day: ColumnType<Date, string, never> }
  remote_access_origins: {
    access_id: BigintColumn
    origin: string
    refusal: CallRefusal
    refused_at: Date
    calls: number
  }
}
