import type { AccountId } from '@portico/contract/accounts'
import { messages } from '@portico/contract/messages'
import type { CallRefusal, RemoteAccessTrial, RemoteAccessTrialResult } from '@portico/contract/remote-access'
import type { z } from 'zod'
import { listContactFields } from '#contacts'
import { openContactSource, type QueryContext, userQuery } from '#filters'
import { invalidField } from '#platform/app-error.ts'
import { type Db, selectCompiledValues } from '#platform/database.ts'
import { type CallSender, parseOrigin, readSender } from './caller-origin.ts'
import { contactStatement } from './door/contact-statement.ts'
import { planAccesses, type PlannedAccess } from './door/door-plan.service.ts'
import { readValues } from './door/judge-call.ts'
import { judgeCallNow, type SaverWatch } from './door/saver-watch.ts'
import { lookupUnits } from './lookup-units.ts'
import { requireOwnDomain } from './public-suffix.ts'
import { refusalTexts } from './refusal-texts.ts'
import { selectAccesses } from './remote-accesses.queries.ts'
import { readColumns, requireAccess } from './remote-accesses.service.ts'
import type { RemoteAccessRow } from './tables.ts'

type Trial = z.output<typeof RemoteAccessTrial>

/**
 * Judges a call as if a stranger had made it, without counting it. A draft replaces the access `id`, or is added, and
 * needs no index yet: the query of a signed-in user may read more.
 * @throws invalid_input naming `origin`, `query` or a field of the draft; not_found; timed_out
 */
export async function tryRemoteAccess(
  { savers, ...context }: QueryContext & { savers: SaverWatch },
  account: AccountId,
  trial: Trial,
): Promise<RemoteAccessTrialResult> {
  const sender = senderOf(trial)
  const values = readValues(trial.query)
  if (!values) throw invalidField('query', messages.duplicate)
  const accesses = await accessesToTry(context.db, account, trial)
  const judged = await judgeCallNow(savers, accesses, sender, [...values.keys()])
  if (!judged.access) return refused(403, judged.refusal, judged.meant[0]?.id ?? null)
  const { access } = judged
  const statement = access.statement?.of(values)
  if (!statement) return refused(403, 'no_index', access.id || null)
  const [row = []] = await userQuery(context, (reader) => selectCompiledValues(reader, statement))
  const found = access.statement?.read(row)
  if (found?.contacts !== 1) return refused(404, found?.contacts === 2 ? 'several' : 'not_found', access.id || null)
  const { offer } = found
  return { status: 200, offer, refusal: null, text: 'The caller gets this contact.', accessId: access.id || null }
}

function refused(status: 403 | 404, refusal: CallRefusal, accessId: string | null): RemoteAccessTrialResult {
  return { status, offer: null, refusal, text: refusalTexts[refusal], accessId: accessId || null }
}

function senderOf({ origin, address }: Trial): CallSender {
  if (origin && address) throw invalidField('address', 'Enter either an origin or an address.')
  if (!origin && !address) throw invalidField('origin', messages.required)
  if (!origin) return readSender({}, address ?? '')
  // People copy a trailing slash or path from the address bar.
  const text = /^https?:\/\/[^/]+/i.exec(origin)?.[0] ?? origin
  return readSender({ origin: parseOrigin(text) ? text : 'null' }, '')
}

async function accessesToTry(db: Db, account: AccountId, { draft, id }: Trial): Promise<PlannedAccess[]> {
  const saved = await selectAccesses(db, account)
  if (!draft) {
    if (id !== undefined) await requireAccess(db, account, id)
    const wanted = id === undefined ? saved : saved.filter((row) => row.id === id)
    return planAccesses(db, account, wanted)
  }
  if (id !== undefined) await requireAccess(db, account, id)
  requireOwnDomain(draft)
  const fields = await listContactFields(db, account)
  const columns = readColumns(fields, draft)
  const old = saved.find((row) => row.id === id)
  const row: RemoteAccessRow = {
    id: id ?? '',
    type: draft.type,
    domain_or_ip: draft.domainOrIp,
    include_sub_domains: draft.type === 'domain' && draft.includeSubDomains,
    authentication_columns: columns.authentication,
    public_columns: columns.public,
    creator: '',
    created_at: new Date(),
    is_paused: draft.isPaused ?? old?.is_paused ?? false,
    expires_at:
      draft.expiresAt === undefined ? (old?.expires_at ?? null) : draft.expiresAt ? new Date(draft.expiresAt) : null,
    last_used_at: null,
    version: 1,
    saves: [],
    acts_as: null,
  }
  const [planned] = await planAccesses(db, account, [row])
  if (!planned) return []
  const units = lookupUnits(fields, columns.authentication)
  const source = await openContactSource(db, account, { rows: null })
  return [{ ...planned, statement: units && contactStatement(db, source, units, columns.public) }]
}
