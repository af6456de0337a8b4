import { writeColumnList } from '@portico/contract/column-list'
import { writeAuthentication } from '@portico/contract/remote-access/rules'
import { isSameName } from '@portico/domain/names'
import type { FieldUses, Renaming } from '#platform/rows/field-uses.ts'
import { nextVersion } from '#platform/rows/versions.ts'
import { selectAccesses, updateAccess } from './remote-accesses.queries.ts'
import type { RemoteAccessRow } from './tables.ts'

function columnsOf({ authentication_columns, public_columns }: RemoteAccessRow, { from, to }: Renaming) {
  const follow = (names: string[]): string[] => names.map((name) => (isSameName(name, from) ? to : name))
  return { authentication_columns: follow(authentication_columns), public_columns: follow(public_columns) }
}

const namesField = ({ authentication_columns, public_columns }: RemoteAccessRow, { from }: Renaming): boolean =>
  [...authentication_columns, ...public_columns].some((name) => isSameName(name, from))

/** The call that an access was saved with, by which its holder is judged, with the access's current columns. */
function savedCall({ acts_as: actsAs }: RemoteAccessRow, columns: ReturnType<typeof columnsOf>) {
  if (actsAs === null) return null
  const body = {
    ...(actsAs.request.body as object),
    filter: writeAuthentication(columns.authentication_columns),
    publicColumns: writeColumnList(columns.public_columns),
  }
  return JSON.stringify({ ...actsAs, request: { ...actsAs.request, body } })
}

/** Field names in remote accesses: the columns by which contacts are found, and the public ones. */
export const remoteAccessFields: FieldUses = {
  kind: 'remote access',
  async find(db, account, rename) {
    const rows = await selectAccesses(db, account)
    return rows.filter((row) => namesField(row, rename)).map((row) => ({ name: row.domain_or_ip }))
  },
  async *findEach(db, account, sought) {
    for (const row of await selectAccesses(db, account)) {
      const names = [...row.authentication_columns, ...row.public_columns]
      yield { name: row.domain_or_ip, fields: sought.among(names) }
    }
  },
  async readMark(db, account) {
    return JSON.stringify((await selectAccesses(db, account)).map(({ id, version }) => [id, version]))
  },
  async rename(tx, account, by, rename) {
    for (const row of await selectAccesses(tx, account)) {
      if (!namesField(row, rename)) continue
      const columns = columnsOf(row, rename)
      const change = {
        ...columns,
        acts_as: savedCall(row, columns),
        ...nextVersion(row, by, ['filter', 'publicColumns']),
      }
      await updateAccess(tx, account, row.id, change)
    }
  },
}
