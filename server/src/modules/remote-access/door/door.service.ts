import type { AccountId } from '@portico/contract/accounts'
import { DatabaseError } from 'pg'
import { accountVersionsStatement } from '#accounts'
import { AppError } from '#platform/app-error.ts'
import type { Lookups, PreparedStatement } from '#platform/strangers/lookups.ts'
import { StatementStopped } from '#platform/strangers/locked-accounts.ts'
import type { SharedCounts } from '#platform/shared-counts.ts'
import type { CallSender } from '../caller-origin.ts'
import type { UsageCounter } from '../usage/usage-counter.ts'
import { type CallLimits, countMiss, limitAccess, limitAddress, limitMisses } from './call-limits.ts'
import {
  type AccountVersions,
  type DoorPlan,
  type DoorPlans,
  isAtVersions,
  type PlannedAccess,
} from './door-plan.service.ts'
import { type Judgement, judgeCall } from './judge-call.ts'
import { judgeCallNow, type SaverWatch } from './saver-watch.ts'

/** Services for the calls of strangers, shared within this process. */
export type Door = {
  lookups: Lookups
  plans: DoorPlans
  counts: SharedCounts
  usage: UsageCounter
  limits: CallLimits
  savers: SaverWatch
}

/** A call of a stranger about the contact with these values, by folded name. */
export type Call = { account: AccountId; sender: CallSender; values: ReadonlyMap<string, string> }

/** A contact that an access lets the sender read. */
export type ServedContact = { access: PlannedAccess; id: string; offer: Record<string, string | number | boolean> }

/** Too many calls; `retryAfter`: seconds until the next may be made. */
export class CallLimited extends AppError {
  constructor(retryAfter: number) {
    super('too_many_requests', undefined, undefined, { retryAfter })
  }
}

/**
 * Counts a call of an address, before any other work is done for it.
 * @param read reads the call; throws if it is not a valid one
 * @throws CallLimited
 */
export function admitAddress(door: Door, address: string, read: () => Call): void {
  const wait = limitAddress(door.counts, address, door.limits)
  if (wait === null) return
  try {
    countLimited(door, read())
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  throw new CallLimited(wait)
}

/** Does not read the database: the plan may be outdated, which hardly matters for a statistic. */
function countLimited({ plans, usage }: Door, call: Call): void {
  const plan = plans.known(call.account)
  const access = plan && judge(plan, call).access
  if (access) usage.count(call.account, access.id, { limited: 1 })
}

/**
 * Finds the contact of a call. In the same round trip, the account's versions are read: the cached accesses are used
 * only if they are up to date.
 * @param onLetIn called as soon as an access lets the sender in, regardless of what follows
 * @throws access_refused, the same in all cases; not_found for no contact and for several; CallLimited
 */
export async function serveContact(door: Door, call: Call, onLetIn: () => void): Promise<ServedContact> {
  const known = door.plans.known(call.account)
  const expected = known && judge(known, call).access
  const early = expected?.statement?.of(call.values)
  const { version, rows: earlyRows, failure } = await readEarly(door, call.account, early)
  const plan = await currentPlan(door, call.account, version)
  const access = await requireAccess(door, call, plan)
  onLetIn()
  requireWithin(door, call, access, limitAccess(door.counts, `${call.account} ${access.id}`, door.limits))
  const statement = access.statement
  if (!statement) throw new AppError('access_refused')
  const isExpected = plan === known && access === expected
  if (isExpected && failure) throw failure
  const [rows] =
    isExpected && earlyRows ? [earlyRows] : await door.lookups.read(call.account, [statement.of(call.values)])
  // Other calls let in at the same time may have missed too often since then.
  requireWithin(door, call, access, limitMisses(door.counts, call.sender.address, door.limits))
  const found = statement.read(rows?.[0] ?? [])
  if (found.contacts === 1) return { access, id: found.id, offer: found.offer }
  door.usage.count(call.account, access.id, found.contacts === 0 ? { not_found: 1 } : { several: 1 })
  countMiss(door.counts, call.sender.address)
  throw new AppError('not_found')
}

/** @throws CallLimited when there are seconds to wait */
function requireWithin({ usage }: Door, call: Call, access: PlannedAccess, wait: number | null): void {
  if (wait === null) return
  usage.count(call.account, access.id, { limited: 1 })
  throw new CallLimited(wait)
}

type EarlyRead = { version: unknown[] | undefined; rows?: unknown[][] | undefined; failure?: Error }

/**
 * Reads the versions of the account, and the result of an early statement. A statement for earlier settings or types of
 * fields may fail, or take too long: the versions show whether it was one. They can be read while contacts are locked.
 */
async function readEarly({ lookups }: Door, account: AccountId, early?: PreparedStatement): Promise<EarlyRead> {
  const versions = accountVersionsStatement(account)
  try {
    const [versionRows = [], rows] = await lookups.read(account, early ? [versions, early] : [versions])
    return { version: versionRows[0], rows }
  } catch (error) {
    if (!early || !isOfStatement(error)) throw error
    const [versionRows = []] = await lookups.read(account, [versions])
    return { version: versionRows[0], failure: error }
  }
}

/** Whether a statement failed or was stopped, as opposed to the connection. */
const isOfStatement = (error: unknown): error is Error =>
  error instanceof DatabaseError || error instanceof StatementStopped

/**
 * Returns once an access is known to let the sender in.
 * @throws access_refused
 */
export async function requireLetIn(door: Door, call: Call): Promise<void> {
  const [rows = []] = await door.lookups.read(call.account, [accountVersionsStatement(call.account)])
  await requireAccess(door, call, await currentPlan(door, call.account, rows[0]))
}

/** @throws access_refused for an unknown or suspended account */
async function currentPlan(door: Door, account: AccountId, row: unknown[] | undefined): Promise<DoorPlan> {
  if (!row) throw new AppError('access_refused')
  const [fieldsVersion, accessVersion, timeZone] = row
  const versions = { fieldsVersion, accessVersion, timeZone } as AccountVersions
  const known = door.plans.known(account)
  return isAtVersions(known, versions) ? known : door.plans.load(account, versions)
}

async function requireAccess({ usage, savers }: Door, call: Call, plan: DoorPlan): Promise<PlannedAccess> {
  const { sender, values } = call
  const { access, refusal, meant } = await judgeCallNow(savers, plan.accesses, sender, [...values.keys()])
  if (access) return access
  const from = call.sender.origin?.text ?? (call.sender.isOpaque ? 'null' : call.sender.address)
  for (const { id } of meant) usage.refuse(call.account, id, from, refusal)
  throw new AppError('access_refused')
}

function judge({ accesses }: DoorPlan, { sender, values }: Call): Judgement {
  return judgeCall(accesses, sender, [...values.keys()], Date.now())
}
