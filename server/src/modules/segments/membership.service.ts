import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeColumnList } from '@portico/contract/column-list'
import type { AccountId } from '@portico/contract/accounts'
import { contactsApi } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import type { Membership, MembershipNode } from '@portico/contract/segments'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { everyRule, isWithinRule } from '@portico/domain/pipeline/row-rules'
import { expandPredefined } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import { isRowNumber } from '#platform/ids.ts'
import { namedStages, findSaved, selectDescribed } from '#saved-filters'
import type { JudgedCondition, Verdict } from '#search'
import { type NamedStages, type Part, partsOf, withInner } from './membership-parts.ts'
import { type Asking, openReader, readAllowed, requireCall } from './segment-count.service.ts'
import { choosingStages, naming } from './segment-stages.ts'

/**
 * Explains why a contact is in a segment or not. The caller needs the rights to read the contact and to search with the stages of
 * the segment. A part of the segment is explained if they could also search with it alone, and see its fields in the result.
 * @throws not_found, also for a contact that a row rule hides; not_allowed; invalid_filter, timed_out
 */
export async function explainMembership(
  asking: Asking,
  account: AccountId,
  id: string,
  contact: string,
): Promise<Membership> {
  const { caller, db } = asking
  const { stages, rows: searched } = await readAllowed(asking, account, id)
  const reading = { params: { id: contact }, query: undefined, body: undefined }
  requireCall(caller, contactsApi.getOffer, reading)
  if (!isRowNumber(contact)) throw new AppError('not_found')
  const rows = everyRule(searched, caller.rows(contactsApi.getOffer, reading))
  const { parts, more } = partsOf(await readNamedStages(db, account, id))
  const shown: Part[] = []
  for (const part of withInner(parts)) {
    // Other requests are answered between the parts.
    await nextTurn()
    if (mayLearn(caller, part, rows)) shown.push(part)
  }
  const whole: JudgedCondition = { pipeline: stages, looksAt: null }
  const verdicts = await openReader(asking, account, rows).judge(contact, [whole, ...shown.map(toJudged)])
  if (!verdicts) throw new AppError('not_found')
  const [all, ...judged] = verdicts
  const byPart = new Map(shown.map((part, at) => [part, judged[at]]))
  return { isIn: all?.isMet === true, conditions: parts.map((part) => toNode(part, byPart)), more }
}

/** The stages that choose the people of a segment, where those of another segment stay together. */
async function readNamedStages(db: Db, account: AccountId, id: string): Promise<NamedStages> {
  const named: NamedStages = []
  const segment = await namedStages(db, account, id)
  if (!segment) return named
  for (const stage of parsePipeline(segment.stages)) {
    if (stage.kind === 'match') named.push(stage)
    else if (stage.kind === 'saved') {
      const expanded = await expandPredefined(naming(stage.id), findSaved(db, segment.owner))
      const pipeline = choosingStages(expanded)
      // The parent account may name one that it does not show here.
      const [row] = await selectDescribed(db, account, { id: stage.id, longest: 0 })
      const name = row?.name ?? 'a segment that the parent account does not share'
      named.push({ kind: 'segment', id: row ? stage.id : null, name, pipeline })
      // The next stages work on the rows of a grouping, order or limit.
      if (pipeline.length < expanded.length) break
    } else break
  }
  return named
}

/** Whether a search for the contact with the part alone would tell the caller the same. */
function mayLearn(caller: Caller, part: Part, rows: Stages | null): boolean {
  if (part.kind === 'segment' && part.id === null) return false
  const request = searchFor(part)
  if (caller.refusal(contactsApi.listOffers, request) !== null) return false
  return isWithinRule(rows, caller.rows(contactsApi.listOffers, request))
}

function searchFor(part: Part): RequestParts {
  const find = writePipeline(part.pipeline) as Stages
  const name = part.kind === 'condition' ? part.looksAt?.name : undefined
  const isField = name !== undefined && !unselectable.has(name)
  const select = isField ? writeColumnList([name]) : undefined
  return judgedParts(contactsApi.listOffers, { params: {}, query: { find, select }, body: undefined })
}

/** Names of conditions that are no columns. */
const unselectable: ReadonlySet<string> = new Set(['events', 'location', '$text', '$and', '$or', '$nor'])

const toJudged = (part: Part): JudgedCondition => ({
  pipeline: part.pipeline,
  looksAt: part.kind === 'condition' ? part.looksAt : null,
})

function toNode(part: Part, verdicts: ReadonlyMap<Part, Verdict | undefined>): MembershipNode {
  const { isMet = null, values = [], events = null } = verdicts.get(part) ?? {}
  switch (part.kind) {
    case 'all':
    case 'any':
    case 'none':
      return { kind: part.kind, isMet, of: part.of.map((inner) => toNode(inner, verdicts)), more: part.more }
    case 'segment':
      return { kind: 'segment', isMet, id: part.id, name: part.name }
    case 'condition': {
      const { condition } = part
      return { kind: 'condition', isMet, condition, values, events }
    }
  }
}
