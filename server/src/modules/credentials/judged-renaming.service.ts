import type { AccountId } from '@portico/contract/accounts'
import { readRenamedRules } from '#access'
import type { Db } from '#platform/database.ts'
import { inWrittenJson, partOfName, type Renaming } from '#platform/rows/field-uses.ts'
import { ruleOf } from '#platform/storage.ts'
import type { ActsAs, StoredRequest } from './acts-as.service.ts'
import { type RequestRename, renameInActsAs, renameInRequest } from './stored-renaming.ts'

/**
 * How a new name of a field is written into stored rights (`ActsAs`) and requests of an account. `pattern`: of the JSON texts that
 * may need it, in any letter case (`text ~* pattern`).
 *
 * Digests of row rules follow for the rules that identities have now; a digest of several rules together does not, so
 * what was stored with it is refused if one of them names the field.
 */
export async function judgedRenaming(db: Db, account: AccountId, { from, to }: Renaming) {
  const changed = await readRenamedRules(db, account, { from, to, saved: () => null })
  const rules = new Map(changed.map(({ row, rule }) => [ruleOf(row.rule).rule ?? '', ruleOf(rule).rule ?? '']))
  const rename: RequestRename = { from, to, rules }
  const named = inWrittenJson(partOfName(from))
  return {
    pattern: named === '' || rules.size === 0 ? named : `${named}|"rule"`,
    renameInActsAs: (actsAs: ActsAs): ActsAs => renameInActsAs(actsAs, rename),
    renameInRequest: (stored: StoredRequest): StoredRequest => renameInRequest(stored, rename),
  }
}
