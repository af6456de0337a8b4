import { z } from 'zod'
import { readEmailList, writeEmailList } from '../email-list.ts'
import { Instant } from '../jobs.ts'
import { messages } from '../messages.ts'
import { maxAddressListLength } from '../notifications.ts'
import { listText } from '../read-text.ts'
import { canonicalReportFolder, canonicalSftpHost } from '../sftp-places.ts'
import { Version, versionOfChange } from '../versions.ts'
import { maxExpressionLength, splitExpression } from '@portico/domain/scheduler/cron-fields'
import { ConsumerCode, consumerCodes, SentInstruction } from './instructions.ts'
import { RunState, ScheduleStatus } from './schedules.ts'

/** Maximum due times of a cron with a number of repeats. */
export const maxRepeats = 10_000

export const transferProtocols = ['', 'sftp'] as const

/** Default port of an SFTP server; a typed one is at least `leastPort`. */
export const defaultPort = 22
export const leastPort = 25

/** Size limit of a request with a cron, in bytes. */
export const cronBodyBytes = 2_000_000

const text = (length: number) => z.string().trim().max(length, `Use at most ${length} characters.`)
const optionalText = (length: number) => text(length).nullish()

/** From older clients; ignored. */
const ignored = z.unknown().optional()

/** A cron as a client sends it. `cron-problems.ts` checks its values; its instruction is checked by consumer. */
export const CronDraft = z.strictObject({
  name: text(100).default(''),
  /** Here or in the query. */
  consumerCode: ConsumerCode.optional(),
  /** Separated by commas. */
  notificationEmails: listText(text(maxAddressListLength), {
    read: readEmailList,
    write: writeEmailList,
    problem: messages.invalid,
  }).default(''),
  cronTZ: text(100).default(''),
  cron: text(maxExpressionLength)
    .transform((expression) => splitExpression(expression).join(' '))
    .default(''),
  /** A day in the time zone, or an ISO moment. */
  cronStart: text(40).default(''),
  /** The last day of runs. Without it and without `cronRepeat`, the cron has no end. */
  cronEnd: optionalText(40),
  /** Number of due times. */
  cronRepeat: z.number().nullish(),
  terminated: z.boolean().default(false),
  /** An object, or its JSON text. */
  instruction: SentInstruction.nullish(),
  transferProtocol: z.enum(transferProtocols).nullish(),
  ftpHost: z.string().trim().max(255).overwrite(canonicalSftpHost).nullish(),
  ftpFolder: z.string().trim().max(500).overwrite(canonicalReportFolder).nullish(),
  /** Empty: 22. */
  ftpPort: z.union([z.number(), text(5)]).nullish(),
  ftpUser: optionalText(200),
  /** Unchanged if it is empty. */
  ftpPass: z.string().max(1000).nullish(),
  /** For a change; a new cron has none. */
  ...versionOfChange,
  _id: ignored,
  cronDesc: ignored,
  createdAt: ignored,
  nextScheduleId: ignored,
  lastComletedScheduleId: ignored,
  author: ignored,
  paused: ignored,
  lastRun: ignored,
  nextRunAt: ignored,
  mayTakeOver: ignored,
})
export type CronDraft = z.output<typeof CronDraft>

/** Why a cron currently makes no runs. */
export const Pause = z.object({ reason: z.string(), since: Instant, by: z.string() })

export const Cron = z.object({
  _id: z.string(),
  version: Version,
  name: z.string(),
  consumerCode: z.enum(consumerCodes),
  notificationEmails: z.string(),
  cronTZ: z.string(),
  cron: z.string(),
  /** Its timing as a sentence. */
  cronDesc: z.string(),
  cronStart: z.string(),
  cronEnd: z.string().nullable(),
  cronRepeat: z.number().int().nullable(),
  terminated: z.boolean(),
  /** Without secrets; absent from lists that do not request it. */
  instruction: z.record(z.string(), z.unknown()).optional(),
  transferProtocol: z.enum(transferProtocols),
  ftpHost: z.string(),
  ftpFolder: z.string(),
  /** Null: 22. */
  ftpPort: z.number().int().nullable(),
  ftpUser: z.string(),
  createdAt: Instant,
  /** The run that ended last, and the next one, which already exists. Null: none. */
  lastComletedScheduleId: z.string().nullable(),
  nextScheduleId: z.string().nullable(),
  /** Email of the identity that last saved it. It runs with that identity's rights. */
  author: z.string(),
  paused: Pause.nullable(),
  lastRun: z.object({ status: ScheduleStatus, state: RunState, date: Instant }).nullable(),
  nextRunAt: Instant.nullable(),
  /** Whether the caller may become its author. */
  mayTakeOver: z.boolean(),
})
export type Cron = z.output<typeof Cron>
