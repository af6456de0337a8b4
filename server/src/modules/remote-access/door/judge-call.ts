import type { CallRefusal } from '@portico/contract/remote-access'
import { foldName } from '@portico/domain/names'
import { type CallSender, closeness, mayBeInsecure } from '../caller-origin.ts'
import type { PlannedAccess } from './door-plan.service.ts'

/** The access that serves a call, or why none does and the accesses for which the call was probably meant. */
export type Judgement<Access extends PlannedAccess = PlannedAccess> =
  | { access: Access; refusal: null; meant: [] }
  | { access: null; refusal: CallRefusal; meant: Access[] }

/**
 * Finds the one access that serves a call: it lets the sender in, and the query names exactly its columns. If several
 * do, the one that names the sender most closely, then the oldest. Their public columns are never combined.
 * @param names of the query, folded
 * @param now in ms
 * @param isStopped whether the right that an access was saved with is lost
 */
export function judgeCall<Access extends PlannedAccess>(
  accesses: readonly Access[],
  sender: CallSender,
  names: readonly string[],
  now: number,
  isStopped: (access: Access) => boolean = () => false,
): Judgement<Access> {
  const refusalOf = (access: Access): CallRefusal | null =>
    refusalBySettings(access, now) ?? (isStopped(access) ? 'saver_not_allowed' : null)
  const wanted = names.toSorted().join('\0')
  const close = accesses.flatMap((access) => {
    const nearness = closeness(access.allowed, sender)
    return nearness === null ? [] : [{ access, nearness }]
  })
  const ordered = close.toSorted((one, other) => other.nearness - one.nearness).map(({ access }) => access)
  const named = ordered.filter((access) => access.names.join('\0') === wanted)
  const serving = named.find((access) => refusalOf(access) === null)
  if (serving) return { access: serving, refusal: null, meant: [] }
  const [first] = named
  if (first) return { access: null, refusal: refusalOf(first) ?? 'paused', meant: [first] }
  if (ordered.length > 0) return { access: null, refusal: 'other_columns', meant: ordered }
  const meant = accesses.filter((access) => access.names.join('\0') === wanted)
  return { access: null, refusal: senderRefusal(sender), meant }
}

function refusalBySettings(access: PlannedAccess, now: number): CallRefusal | null {
  if (access.isPaused) return 'paused'
  if (access.expiresAt !== null && access.expiresAt <= now) return 'expired'
  return access.statement === null ? 'no_index' : null
}

function senderRefusal({ origin, isOpaque }: CallSender): CallRefusal {
  if (isOpaque) return 'invalid_origin'
  if (!origin) return 'address_not_allowed'
  return origin.isSecure || mayBeInsecure(origin.host) ? 'origin_not_allowed' : 'insecure_origin'
}

/** The values of a query by folded name; null if a name occurs twice. */
export function readValues(query: Readonly<Record<string, unknown>>): Map<string, string> | null {
  const values = new Map<string, string>()
  for (const [name, value] of Object.entries(query)) {
    const folded = foldName(name)
    if (typeof value !== 'string' || values.has(folded)) return null
    values.set(folded, value)
  }
  return values
}
