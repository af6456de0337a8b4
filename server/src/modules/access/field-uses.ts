import type { AccountId } from '@portico/contract/accounts'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { keepsMeaning, renameField } from '@portico/domain/pipeline/rename-field'
import type { Stages } from '@portico/contract/filter'
import type { Db } from '#platform/database.ts'
import { type FieldUses, partOfName, partsOfNames, type Renaming } from '#platform/rows/field-uses.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { fieldsNamedIn, partsNamingFields, renameInCondition } from './condition-renaming.ts'
import { judgesValuesOf } from './condition-values.ts'
import {
  type RuleRow,
  selectKnownPolicies,
  selectOwnPolicies,
  selectPoliciesMark,
  selectRowRules,
  selectRulesMark,
  updateConditions,
  updateRowRules,
} from './field-uses.queries.ts'

// Uses of field names in rights. A right that missed a renaming would forbid less, or allow nothing.

function renameInStages(rule: Stages, rename: Renaming): { renamed: Stages; isClear: boolean } {
  const { pipeline, isClear } = renameField(parsePipeline(rule), rename, rename.saved)
  // The pipeline was read from stages, so writing it yields stages.
  return { renamed: writePipeline(pipeline) as Stages, isClear }
}

function renameInRule(rule: Stages, rename: Renaming): Stages | null {
  const { renamed } = renameInStages(rule, rename)
  return JSON.stringify(renamed) === JSON.stringify(writePipeline(parsePipeline(rule))) ? null : renamed
}

/** Returns the identities of the account whose row rules a new name of a field changes, with their rules after it. */
export async function readRenamedRules(
  db: Db,
  account: AccountId,
  rename: Renaming,
): Promise<{ row: RuleRow; rule: Stages }[]> {
  return (await selectRowRules(db, account, partOfName(rename.from))).flatMap((row) => {
    // The others are in the way of the change.
    const rule = row.isElsewhere ? null : renameInRule(row.rule, rename)
    return rule ? [{ row, rule }] : []
  })
}

/** The contacts of the account that identities may see: its own, those of its parent, and global ones. */
export const rowRuleFields: FieldUses = {
  kind: 'row rule',
  async find(db, account, rename) {
    const rows = await selectRowRules(db, account, partOfName(rename.from))
    return rows
      .filter(({ rule }) => renameInRule(rule, rename) !== null)
      .map(({ name, isElsewhere }) => ({ name, isElsewhere }))
  },
  async findUnclear(db, account, rename) {
    const rows = await selectRowRules(db, account, partsOfNames(rename))
    return rows.filter(({ rule }) => !keepsMeaning(renameInStages, rule, rename))
  },
  async *findStages(db, account, field) {
    for (const { name, rule } of await selectRowRules(db, account, partOfName(field))) yield { name, stages: rule }
  },
  async *findEach(db, account, sought) {
    for (const { name, rule } of await selectRowRules(db, account, ''))
      yield { name, fields: sought.markedIn(JSON.stringify(renameInStages(rule, sought.rename).renamed)) }
  },
  readMark: selectRulesMark,
  rights: {
    async prepareRename(db, account, by, rename) {
      const changed = (await readRenamedRules(db, account, rename)).map(({ row, rule }) => ({
        id: row.id,
        rule,
        ...nextVersion(row, by, ['rowRule']),
      }))
      return async (tx) => {
        if (changed.length > 0) await updateRowRules(tx, account, changed)
      }
    },
  },
}

function renamesOf({ actions, conditions }: { actions: readonly string[]; conditions: string[] }, rename: Renaming) {
  if (conditions.length === 0) return []
  const parts = partsNamingFields(actions)
  return conditions.map((condition) => renameInCondition(condition, parts, rename))
}

/**
 * Field names in policy conditions. Conditions that apply in other accounts too, or would judge the new name
 * differently, cannot be renamed: administrators must change them first.
 */
export const policyFields: FieldUses = {
  kind: 'policy',
  async find(db, account, rename) {
    const found = await selectKnownPolicies(db, account)
    return found
      .filter((policy) => renamesOf(policy, rename).some(({ namesField }) => namesField))
      .map(({ name, isOfAccountAlone }) => ({ name, isElsewhere: !isOfAccountAlone }))
  },
  async findUnclear(db, account, rename) {
    const found = await selectKnownPolicies(db, account)
    return found.filter((policy) => renamesOf(policy, rename).some(({ isClear }) => !isClear))
  },
  async findMistyped(db, account, field) {
    const found = await selectKnownPolicies(db, account)
    return found
      .filter(({ actions, conditions }) => {
        const parts = conditions.length > 0 ? partsNamingFields(actions) : []
        return conditions.some((condition) => judgesValuesOf(condition, parts, field))
      })
      .map(({ name }) => ({ name, problem: `A condition judges values of "${field}".` }))
  },
  async *findEach(db, account, sought) {
    for (const { name, actions, conditions } of await selectKnownPolicies(db, account)) {
      const parts = conditions.length > 0 ? partsNamingFields(actions) : []
      const fields = new Set(conditions.flatMap((condition) => fieldsNamedIn(condition, parts, sought.names)))
      yield { name, fields }
    }
  },
  readMark: selectPoliciesMark,
  rights: {
    async prepareRename(db, account, by, rename) {
      const changed = (await selectOwnPolicies(db, account)).flatMap((row) => {
        const conditions = renamesOf(row, rename).map(({ text }) => text)
        const isSame = conditions.join('\n') === row.conditions.join('\n')
        return isSame ? [] : [{ id: row.id, conditions, ...nextVersion(row, by, ['conditions']) }]
      })
      return async (tx) => {
        if (changed.length > 0) await updateConditions(tx, account, changed)
      }
    },
  },
}
