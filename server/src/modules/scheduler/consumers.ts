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

/** The work of a cron as it is stored: the instruction as the API returns it, and the secrets that it lacks. */
export type KeptInstruction<Own extends Instruction = Instruction> = { instruction: Own; secrets: unknown }

/** Why a run does not happen, in words for users. `pausesCron`: it will not happen later either. */
export type RunRefusal = { reason: string; pausesCron?: boolean }

/** A run that starts. */
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
  /** The days of data that it takes; null for all. */
  window: OffsetWindow | null
  transfer: (Transfer & { password: string }) | null
  /** The identity that saved the cron last, with its rights alone. */
  caller: Caller
  /** The call that would save the cron as it is: what the run makes may be used as long as that identity may make it. */
  saving: StoredRequest
}

/** The settings of a cron as they are now, for a delivery that is sent again. */
export type PresentSettings<Own extends Instruction = Instruction> = Pick<
  StartedRun<Own>,
  'emails' | 'dueAt' | 'zone' | 'kept' | 'transfer'
>

/** The job of a run, at this moment. */
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
 * A service whose work can be scheduled. It belongs to the module that does the work; `server/src/consumers.ts` lists all.
 * The module calls `runEnded` in the transaction that ends such a job.
 */
export type Consumer<Own extends Instruction = Instruction> = {
  code: ConsumerCode
  /** Noun of its runs, in emails: 'scheduled export'. */
  label: string
  /** Path of the page that lists its crons and shows their runs. */
  listPath: string
  /** Returns an instruction of its own code as such. The scheduler gives it no other. */
  parse: (instruction: Instruction) => Own
  /** Kind of the jobs that its runs start. */
  job: 'export' | 'report'
  /**
   * Checks an instruction on saving, as far as only its module can: that the fields, filters or dashboards exist. Returns
   * what is stored of it. Secrets that were left out are taken from `before`, for the same destination only (ADR 0037).
   * @throws invalid_input naming `instruction.…`; invalid_filter
   */
  read: (
    account: AccountId,
    caller: Caller,
    instruction: Own,
    before: KeptInstruction<Own> | null,
  ) => Promise<KeptInstruction<Own>>
  /**
   * The instruction with all that its runs choose rows by written out: the stages of saved filters, and its window. Conditions
   * on the cron judge it too. As it is where a part cannot be read, which says so on saving.
   */
  writtenOut: (account: AccountId, instruction: Own) => Promise<Own>
  /** The reason why these rights do not allow such a run now; null when they do. */
  refusal: (account: AccountId, caller: Caller, instruction: Own) => Promise<RunRefusal | null>
  /**
   * Starts the job of a run in the transaction `tx`; returns its id. An `AppError` ends the run with its message, any other
   * error is tried again.
   */
  start: (tx: Db, account: AccountId, run: StartedRun<Own>) => Promise<string>
  /** The jobs with these ids; those that are gone are left out. */
  states: (db: Db, account: AccountId, jobIds: readonly string[]) => Promise<Map<string, JobState>>
  /** The deliveries of a job, each with every attempt. */
  deliveries: (account: AccountId, jobId: string) => Promise<Delivery[]>
  /** Where present settings send a delivery of this kind; null where they have no such delivery. */
  target: (present: PresentSettings<Own>, kind: Delivery['kind']) => string | null
  /**
   * Sends a delivery again as the present settings say, and calls `runDeliversAgain` in the transaction that starts it.
   * `holder`: the identity that the cron acts as now; a file of another one is not sent. `saving`: as of a run.
   * @throws not_found, not_ready
   */
  resend: (
    account: AccountId,
    by: Actor,
    delivery: { jobId: string; deliveryId: string },
    present: PresentSettings<Own> & Pick<StartedRun, 'saving'> & { holder: string },
  ) => Promise<Delivery>
}

export type Consumers = ReadonlyMap<ConsumerCode, Consumer>

/** The consumer as the scheduler calls it, which knows instructions of all codes. */
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
    resend: (account, by, delivery, present) =>
      own.resend(account, by, delivery, { ...present, kept: parsed(present.kept) }),
  }
}

/** The caller who tests a cron, and the identity that it will act as. */
export type CronTesting = Pick<AccountContext, 'db' | 'account' | 'caller' | 'callerNow' | 'actor' | 'signal'> & {
  acting: Caller
}

/** A cron that is tested as if a run of it were due now. Its name may be empty. */
export type TestedCron = Pick<StartedRun, 'name' | 'zone' | 'dueAt' | 'transfer' | 'window'>

/** Tests what a run of a consumer would do. Nothing is stored, and nothing reaches anyone but the caller. */
export type CronTester = {
  [Part in CronTestPart]: (
    testing: CronTesting,
    cron: TestedCron,
    instruction: TestedInstruction[Part],
  ) => Promise<CronTestResult>
}

/** The consumers whose crons can be tested. */
export type CronTesters = ReadonlyMap<ConsumerCode, CronTester>
