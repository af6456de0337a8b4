import type { AccountId } from '@portico/contract/accounts'
import type { Delivery, DeliveryStatus } from '@portico/contract/notifications'
import type { CronTestPart, CronTestResult, TestedInstruction } from '@portico/contract/scheduler/cron-tests'
import type { ConsumerCode, Instruction } from '@portico/contract/scheduler/instructions'
import type { OffsetWindow } from '@portico/domain/scheduler/window-condition'
import type { StoredRequest } from '#credentials'
import type { Actor } from '#platform/actor.ts'
import type { Db } from '#platform/database.ts'
import type { AccountContext, Caller } from '#platform/http/context.ts'
import type { Transfer } from './tables.ts'

/** The work of a cron as stored: the instruction as the API returns it, and its secrets separately. */
export type KeptInstruction<Own extends Instruction = Instruction> = { instruction: Own; secrets: unknown }

/** Why a run does not take place, in words for users. `pausesCron`: later runs would not take place either. */
export type RunRefusal = { reason: string; pausesCron?: boolean }

/** A run that is starting. */
export type StartedRun<Own extends Instruction = Instruction> = {
  /** Id of the run. */
  id: string
  /** Name of the cron. */
  name: string
  /** Emails of the cron, separated by commas. */
  emails: string
  dueAt: Date
  isRunNow: boolean
  /** IANA zone of the cron. */
  zone: string
  kept: KeptInstruction<Own>
  /** The days of data that the run takes; null for all. */
  window: OffsetWindow | null
  transfer: (Transfer & { password: string }) | null
  /** The identity that last saved the cron, with its rights only. */
  caller: Caller
  /**
   * The request that would save the cron as it is: results of the run may be used as long as that identity may make it.
   */
  saving: StoredRequest
}

/** The present settings of a cron, for sending a delivery again. */
export type PresentSettings<Own extends Instruction = Instruction> = Pick<
  StartedRun<Own>,
  'emails' | 'dueAt' | 'zone' | 'kept' | 'transfer'
>

/** The present state of a run's job. */
export type JobState = {
  status: 'running' | 'completed' | 'failed'
  name: string
  /** In words for users; null unless it failed. */
  reason: string | null
  records: number
  recoveryCount: number
  /** URL of the call that gives a signed link to its file; null without one. */
  fileUrl: string | null
  deliveries: readonly { status: DeliveryStatus; result: string | null }[]
}

/**
 * A service whose work can be scheduled. It belongs to the module that does the work; `server/src/consumers.ts` lists
 * all. The module calls `runEnded` in the transaction that ends such a job.
 */
export type Consumer<Own extends Instruction = Instruction> = {
  code: ConsumerCode
  /** Name of its runs in emails: 'scheduled export'. */
  label: string
  /** Path of the page that lists its crons and shows their runs. */
  listPath: string
  /** Returns an instruction of its own code with its type. The scheduler passes no other. */
  parse: (instruction: Instruction) => Own
  /** Kind of the jobs that its runs start. */
  job: 'export' | 'report'
  /**
   * Checks an instruction on saving, as far as only its module can: that the fields, filters or dashboards exist.
   * Returns the stored form. Secrets that were left out are taken from `before`, for the same destination only (ADR
   * 0037).
   * @throws invalid_input naming `instruction.…`; invalid_filter
   */
  read: (
    account: AccountId,
    caller: Caller,
    instruction: Own,
    before: KeptInstruction<Own> | null,
  ) => Promise<KeptInstruction<Own>>
  /**
   * Returns the instruction with everything that selects rows in its runs written out: the stages of saved filters, and
   * its window. Conditions on the cron apply to this form too. Unchanged if a part cannot be read, which is reported on
   * saving.
   */
  writtenOut: (account: AccountId, instruction: Own) => Promise<Own>
  /** The reason why these rights do not allow such a run now; null when they do. */
  refusal: (account: AccountId, caller: Caller, instruction: Own) => Promise<RunRefusal | null>
  /**
   * Starts the job of a run in the transaction `tx`; returns its id. An `AppError` ends the run with its message; after
   * any other error, the run is tried again.
   */
  start: (tx: Db, account: AccountId, run: StartedRun<Own>) => Promise<string>
  /** The jobs with these ids; those that no longer exist are left out. */
  states: (db: Db, account: AccountId, jobIds: readonly string[]) => Promise<Map<string, JobState>>
  /** The deliveries of a job, each with all attempts. */
  deliveries: (account: AccountId, jobId: string) => Promise<Delivery[]>
  /** The destination of deliveries of this kind by the present settings; null if there is none. */
  target: (present: PresentSettings<Own>, kind: Delivery['kind']) => string | null
  /**
   * Sends a delivery again by the present settings, and calls `runDeliversAgain` in the same transaction `tx`.
   * `holder`: the identity that the cron acts as now; a file of another identity is not sent. `saving`: as for a run.
   * @throws not_found, not_ready
   */
  resend: (
    tx: Db,
    account: AccountId,
    by: Actor,
    delivery: { jobId: string; deliveryId: string },
    present: PresentSettings<Own> & Pick<StartedRun, 'saving'> & { holder: string },
  ) => Promise<Delivery>
}

export type Consumers = ReadonlyMap<ConsumerCode, Consumer>

/** Returns the consumer in the form the scheduler calls, which accepts instructions of all codes. */
export function takingAny<Own extends Instruction>(own: Consumer<Own>): Consumer {
  const parsed = <Kept extends KeptInstruction>(kept: Kept) => ({ ...kept, instruction: own.parse(kept.instruction) })
  return {
    ...own,
    read: (account, caller, instruction, before) =>
      own.read(account, caller, own.parse(instruction), before && parsed(before)),
    writtenOut: (account, instruction) => own.writtenOut(account, own.parse(instruction)),
    refusal: (account, caller, instruction) => own.refusal(account, caller, own.parse(instruction)),
    start: (tx, account, run) => own.start(tx, account, { ...run, kept: parsed(run.kept) }),
    target: (present, kind) => own.target({ ...present, kept: parsed(present.kept) }, kind),
    resend: (tx, account, by, delivery, present) =>
      own.resend(tx, account, by, delivery, { ...present, kept: parsed(present.kept) }),
  }
}

/** The caller who tests a cron, and the identity the cron will act as. */
export type CronTesting = Pick<AccountContext, 'db' | 'account' | 'caller' | 'callerNow' | 'actor' | 'signal'> & {
  acting: Caller
}

/** A cron tested as if a run were due now. Its name may be empty. */
export type TestedCron = Pick<StartedRun, 'name' | 'zone' | 'dueAt' | 'transfer' | 'window'>

/** Tests what a run of a consumer would do. Nothing is stored, and only the caller receives anything. */
export type CronTester = {
  [Part in CronTestPart]: (
    testing: CronTesting,
    cron: TestedCron,
    instruction: TestedInstruction[Part],
  ) => Promise<CronTestResult>
}

/** The consumers whose crons can be tested. */
export type CronTesters = ReadonlyMap<ConsumerCode, CronTester>
