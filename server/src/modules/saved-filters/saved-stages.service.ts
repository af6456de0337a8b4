import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { ReadText } from '@portico/contract/read-text'
import type { Route } from '@portico/contract/route'
import { expandPredefined } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller, CallerRight, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import { findSaved } from './saved-filters.service.ts'

// The one rule for calls that name saved filters in stored settings: they are judged as if they contained the stages
// (ADR 0116).

/**
 * Judges a call of a route twice: as it was sent, and with the names of saved filters replaced by their stages. Returns
 * whether a caller may make it both ways. A filter that no longer exists is reported where it is read.
 */
export async function judgeWithSaved(
  db: Db,
  account: AccountId,
  route: CallerRight & Pick<Route, 'query' | 'body' | 'tries'>,
  request: RequestParts,
): Promise<(caller: Caller) => boolean> {
  const { access, action } = route
  const judged = judgedParts(route, request)
  const { query, body } = judged
  const written = new WrittenOut(db, account)
  const expanded = { params: judged.params, query: await written.of(query), body: await written.of(body) }
  const forms = written.hasNames ? [judged, expanded] : [judged]
  return (caller) => forms.every((form) => caller.refusal({ access, action }, form) === null)
}

/** @throws not_allowed unless the caller may make the call with the stages of the saved filters that it names */
export async function requireWithSaved(
  db: Db,
  { account, caller }: { account: AccountId; caller: Caller },
  ...[route, request]: [Parameters<typeof judgeWithSaved>[2], RequestParts]
): Promise<void> {
  const mayMake = await judgeWithSaved(db, account, route, request)
  if (mayMake(caller)) return
  throw new AppError('not_allowed', undefined, namedStagesRefused)
}

const namedStagesRefused = 'Your policies do not allow this, with the stages of the saved filters that it uses.'

/** Values of a judged request with the names of saved filters replaced by their stages. */
class WrittenOut {
  hasNames = false
  readonly #db: Db
  readonly #account: AccountId

  constructor(db: Db, account: AccountId) {
    this.#db = db
    this.#account = account
  }

  async of(value: unknown): Promise<unknown> {
    if (value instanceof ReadText) return this.#ofText(value)
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.of(item)))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(async ([name, inner]) => [name, await this.of(inner)] as const)
    return this.#withPredefined(Object.fromEntries(await Promise.all(entries)))
  }

  async #ofText(text: ReadText): Promise<ReadText> {
    if (text.kind === 'list') return text
    if (text.kind === 'json') return ReadText.json(await this.of(text.value), text.text)
    return Array.isArray(text.value) ? ReadText.stages(await this.#expanded(text.value as Stages)) : text
  }

  /** The filter of a cell names its saved filter next to its own stages, which come after the saved ones. */
  async #withPredefined(filter: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { predefined, standard } = filter
    const isFilter = typeof predefined === 'string' && standard instanceof ReadText && standard.kind === 'stages'
    if (!isFilter || !Array.isArray(standard.value)) return filter
    const saved = await this.#expanded([{ $predefined: predefined }])
    return { ...filter, standard: ReadText.stages([...saved, ...(standard.value as Stages)]) }
  }

  async #expanded(stages: Stages): Promise<Stages> {
    if (!stages.some((stage) => typeof stage === 'object' && stage !== null && Object.hasOwn(stage, '$predefined')))
      return stages
    try {
      const expanded = await expandPredefined(stages, findSaved(this.#db, this.#account))
      this.hasNames = true
      return expanded
    } catch (error) {
      if (error instanceof AppError) return stages
      throw error
    }
  }
}
