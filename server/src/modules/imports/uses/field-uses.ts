import type { AccountId } from '@portico/contract/accounts'
import { isSameName } from '@portico/domain/names'
import { type FieldUses, partOfName, type Renaming } from '#platform/rows/field-uses.ts'
import type { Db } from '#platform/database.ts'
import { isDeepStrictEqual } from 'node:util'
import { selectRulingImports } from '../ruling-imports.queries.ts'
import { selectComputedRule } from '../late-keys/key-computations.queries.ts'
import { namesOf } from '../late-keys/late-dedup.service.ts'
import { getImportDefaults } from '../import-defaults.service.ts'
import {
  type NamedColumns,
  selectKeyColumns,
  selectKeyColumnsMark,
  selectNamedColumns,
  updateDefaultColumns,
  updateNamedColumns,
} from './field-uses.queries.ts'

const follow = ({ from, to }: Renaming) => {
  const one = <T extends string | null>(name: T) => (name !== null && isSameName(name, from) ? to : name)
  return { one, all: (names: readonly string[]): string[] => names.map((name) => one(name)) }
}

/** The rule by which dedup keys were computed; it has the numbers of its fields, so names need not be followed. */
const computedName = 'Computed dedup keys'
const computedNames = async (db: Db, account: AccountId): Promise<string[]> =>
  namesOf(db, account, await selectComputedRule(db, account))

const defaultsName = 'List Service Configuration'

/** Initial values of the form for the account's first import. */
export const importDefaultFields: FieldUses = {
  kind: 'import defaults',
  async find(db, account, rename) {
    const { purlColumns, dedupColumns } = await getImportDefaults(db, account)
    const isNamed = [...purlColumns, ...dedupColumns].some((name) => isSameName(name, rename.from))
    return isNamed ? [{ name: defaultsName }] : []
  },
  async *findEach(db, account, sought) {
    const { purlColumns, dedupColumns } = await getImportDefaults(db, account)
    yield { name: defaultsName, fields: sought.among([...purlColumns, ...dedupColumns]) }
  },
  async readMark(db, account) {
    return String((await getImportDefaults(db, account)).version)
  },
  async rename(tx, account, _by, rename) {
    const { purlColumns, dedupColumns } = await getImportDefaults(tx, account)
    const { all } = follow(rename)
    const columns = { purlColumns: all(purlColumns), dedupColumns: all(dedupColumns) }
    if (isDeepStrictEqual(columns, { purlColumns, dedupColumns })) return
    await updateDefaultColumns(tx, account, columns)
  },
}

function renameColumns(row: NamedColumns, rename: Renaming): NamedColumns {
  const { one, all } = follow(rename)
  const { column_mapping: mapping, on_mismatch_by_field: byField } = row
  return {
    id: row.id,
    name: row.name,
    binds: row.binds,
    kind: row.kind,
    purl_columns: all(row.purl_columns),
    dedup_columns: all(row.dedup_columns),
    latitude_column: one(row.latitude_column),
    longitude_column: one(row.longitude_column),
    key_field: one(row.key_field),
    column_mapping: mapping && Object.fromEntries(Object.entries(mapping).map(([column, name]) => [column, one(name)])),
    on_mismatch_by_field:
      byField && Object.fromEntries(Object.entries(byField).map(([name, choice]) => [one(name), choice])),
  }
}

/**
 * The rules of the account's imports bind later ones: when a field is renamed, their PURL and dedup columns follow, and
 * all other names in an import except the header of its file.
 */
export const importFields: FieldUses = {
  kind: 'import',
  async find(db, account, rename) {
    const rows = await selectNamedColumns(db, account, { part: partOfName(rename.from), isBinding: true })
    const binding = rows.filter((row) => {
      if (!row.binds) return false
      const names = [...row.purl_columns, ...row.dedup_columns, row.key_field ?? '']
      return names.some((name) => isSameName(name, rename.from))
    })
    const computed = await computedNames(db, account)
    const isComputed = computed.some((name) => isSameName(name, rename.from))
    return [...binding.map(({ name }) => ({ name })), ...(isComputed ? [{ name: computedName }] : [])]
  },
  async *findEach(db, account, sought) {
    for (const { name, purl_columns: purl, dedup_columns: dedup, key_field: key } of await selectKeyColumns(
      db,
      account,
    ))
      yield { name, fields: sought.among([...purl, ...dedup, key ?? '']) }
    yield { name: computedName, fields: sought.among(await computedNames(db, account)) }
  },
  async readMark(db, account) {
    return `${await selectKeyColumnsMark(db, account)} ${(await selectComputedRule(db, account)).join()}`
  },
  async rename(tx, account, _by, rename) {
    for (const row of await selectNamedColumns(tx, account, { part: partOfName(rename.from), isBinding: false })) {
      const renamed = renameColumns(row, rename)
      if (!isDeepStrictEqual(renamed, { ...row })) await updateNamedColumns(tx, account, renamed)
    }
  },
}

/** Returns the columns by which contacts are identified: those of binding imports, or those of computed keys. */
export async function bindingDedupColumns(db: Db, account: AccountId): Promise<string[]> {
  const imported = (await selectRulingImports(db, account)).flatMap((row) => row.dedup_columns)
  return [...imported, ...(await computedNames(db, account))]
}
