import { formatCondition, parseCondition } from '@portico/contract/policies'
import { foldName, isSameName } from '@portico/domain/names'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { renameField } from '@portico/domain/pipeline/rename-field'
import type { Stages } from '@portico/contract/filter'
import type { FieldUses, Renaming } from '#platform/rows/field-uses.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import {
  lockOwnPolicies,
  lockRowRules,
  selectKnownPolicies,
  selectRowRules,
  updateConditions,
  updateRowRule,
} from './field-uses.queries.ts'

// Rights that name fields. A right that did not follow a new name would forbid less, or allow nothing.

function renameInRule(rule: Stages, rename: Renaming): Stages | null {
  const before = parsePipeline(rule)
  const after = writePipeline(renameField(before, rename, rename.saved).pipeline)
  // The stages of a pipeline that was read of stages.
  return JSON.stringify(after) === JSON.stringify(writePipeline(before)) ? null : (after as Stages)
}

/** The contacts that identities of the account may see. */
export const rowRuleFields: FieldUses = {
  kind: 'row rule',
  async find(db, account, rename) {
    const rows = await selectRowRules(db, account)
    return rows.filter(({ rule }) => renameInRule(rule, rename) !== null).map(({ name }) => ({ name }))
  },
  async rename(tx, account, by, rename) {
    for (const row of await lockRowRules(tx, account)) {
      const rule = renameInRule(row.rule, rename)
      if (rule) await updateRowRule(tx, account, row.id, rule, nextVersion(row, by, ['rowRule']))
    }
  },
}

/** Parts of requests that hold names of fields, or stages. */
const fieldKeys =
  /(^|\.)(exportFields|select|sort|field2?|key|filter2?|publicColumns|(purl|dedup)Columns|(latitude|longitude)Column|columnMapping|keyField|dateField|columns|find|aggregate|aggregateQuery|instruction|definition|chart)(\.|$)/i

const lists = ['eq', 'neq', 'in', 'nin'] as const

const unclear = Symbol('a part of a text may mean the field')

/** The condition with the new name; null where it does not mean the field, `unclear` where it may mean it in part. */
function renameInCondition(text: string, { from, to }: Renaming): string | typeof unclear | null {
  const condition = parseCondition(text)
  if (!condition) return null
  const { key, operator, value } = condition
  const path = key.split('.').map((part) => (isSameName(part, from) ? to : part))
  const isOfFields = fieldKeys.test(key)
  const items = value.split(',')
  const isList = lists.some((each) => each === operator)
  const isNamed = isOfFields && items.some((item) => isSameName(item, from))
  if (isList && (isNamed || path.join('.') !== key)) {
    const named = items.map((item) => (isOfFields && isSameName(item, from) ? to : item))
    // A name with a comma is no item of a list.
    if (isNamed && to.includes(',')) return unclear
    return formatCondition({ ...condition, key: path.join('.'), value: named.join(',') })
  }
  const isPart = isOfFields && foldName(value).includes(foldName(from))
  return isPart || path.join('.') !== key ? unclear : null
}

const renamesOf = (conditions: readonly string[], rename: Renaming) =>
  conditions.map((condition) => renameInCondition(condition, rename))

/**
 * Conditions of policies. Those that hold in other accounts too, or ask for a part of the name, cannot follow: people change
 * them first.
 */
export const policyFields: FieldUses = {
  kind: 'policy',
  async find(db, account, rename) {
    const found = (await selectKnownPolicies(db, account)).map((policy) => ({
      ...policy,
      renamed: renamesOf(policy.conditions, rename),
    }))
    return found
      .filter(({ renamed }) => renamed.some((condition) => condition !== null))
      .map(({ name, isOfAccountAlone, renamed }) => ({
        name,
        isElsewhere: !isOfAccountAlone || renamed.includes(unclear),
      }))
  },
  async rename(tx, account, by, rename) {
    for (const row of await lockOwnPolicies(tx, account)) {
      const renamed = renamesOf(row.conditions, rename)
      if (renamed.every((condition) => condition === null)) continue
      const conditions = row.conditions.map((condition, at) => {
        const named = renamed[at]
        return typeof named === 'string' ? named : condition
      })
      await updateConditions(tx, account, row.id, conditions, nextVersion(row, by, ['conditions']))
    }
  },
}
