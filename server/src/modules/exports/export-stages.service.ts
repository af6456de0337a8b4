import { parseJson } from '@portico/contract/json-values'
import type { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import { isSameRule } from '@portico/domain/pipeline/row-rules'
import { selectKnownEventFields } from '#contacts'
import type { ActsAs } from '#credentials'
import { expandPredefined, invalidFilter, openContactSource } from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { ruleOf } from '#platform/storage.ts'
import { expandSaved, type FilterUse, findSaved } from '#saved-filters'
import { eventNameOf, type ExportSelection, isOwnEventField, selectForExport } from './export-selection.ts'

/**
 * The fields and the filter of an export; `rows`: stages that select the contacts it may contain and compute with; null
 * for all.
 */
type Selected = { names: readonly string[]; filter: string | null; rows: Stages | null }

/**
 * Resolves an export's fields and filter into its selection. Saved filters are looked up each time, and checked against
 * `use`; without it, any may be used.
 * @throws not_allowed for a saved filter; invalid_input naming a field that does not exist or is named twice;
 * invalid_filter
 */
export async function readSelection(
  db: Db,
  account: AccountId,
  { names, filter, rows }: Selected,
  use: FilterUse | null,
): Promise<ExportSelection> {
  const named = readStages(filter)
  const stages = use
    ? await expandAfterRule(db, use, named, rows)
    : await expandPredefined(named, findSaved(db, account))
  const own = names.filter(isOwnEventField).map(eventNameOf)
  const eventNames = own.length > 0 ? await selectKnownEventFields(db, account, own) : []
  const sources = {
    filtered: await openContactSource(db, account, { rows }),
    written: await openContactSource(db, account, { rows: null }),
  }
  return selectForExport(sources, names, stages, new Set(eventNames))
}

/**
 * Expands the stages after the row rule: the rule is not part of the caller's filter, and needs no right to its fields.
 */
async function expandAfterRule(db: Db, use: FilterUse, named: Stages, rows: Stages | null): Promise<Stages> {
  const length = rows !== null && isSameRule(named.slice(0, rows.length), rows) ? rows.length : 0
  return [...named.slice(0, length), ...(await expandSaved(db, use, named.slice(length))).stages]
}

/**
 * Returns the row rule with which an export was requested: the stages at the start of its filter, identified by their
 * digest. Null for none.
 * @throws not_allowed for a filter that does not begin with it
 */
export function ruleAtStart({ filter, acts_as: actsAs }: Restricted): Stages | null {
  if (actsAs?.rule === undefined) return null
  const stages = readStages(filter)
  const length = lengthOfRule(stages, actsAs.rule)
  if (length === null) throw new AppError('not_allowed')
  return stages.slice(0, length)
}

type Restricted = { filter: string | null; acts_as: Pick<ActsAs, 'rule'> | null }

/**
 * Returns the filter of an export as it was requested, without the row rule at its start: that of an identity of the
 * parent account is not shown in this account (ADR 0145).
 */
export function requestedFilter({ filter, acts_as: actsAs }: Restricted): string | null {
  if (actsAs?.rule === undefined) return filter
  const stages = readStages(filter)
  const requested = stages.slice(lengthOfRule(stages, actsAs.rule) ?? stages.length)
  return requested.length === 0 ? null : JSON.stringify(requested)
}

/** The number of stages at the start that have this digest; null if none have. */
function lengthOfRule(stages: Stages, digest: string): number | null {
  const at = stages.findIndex((_stage, last) => ruleOf(stages.slice(0, last + 1)).rule === digest)
  return at === -1 ? null : at + 1
}

/** Returns the stages of a filter as submitted; empty without a filter. @throws invalid_filter */
export function readStages(filter: string | null): Stages {
  if (filter === null) return []
  let stages: unknown
  try {
    stages = parseJson(filter)
  } catch (error) {
    throw invalidFilter(`The filter is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!Array.isArray(stages)) throw invalidFilter('Should be an array')
  return stages.map((stage: unknown) => {
    if (typeof stage !== 'object' || stage === null || Array.isArray(stage)) {
      throw invalidFilter('Each stage of a filter has exactly one operator.')
    }
    // Any object can be read by keys; its values are checked when the stage is compiled.
    return stage as Record<string, unknown>
  })
}
