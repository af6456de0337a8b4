import { judgedRenaming } from '#credentials'
import type { RenameJudged } from '#platform/registration.ts'
import { readInSlices } from '#platform/rows/text-slices.ts'
import { selectNamingDeliveries, selectRights, updateRight } from './renaming.queries.ts'

/** Writes a new name of a field into the rights by which files are sent again and links to them work. */
export const renameInDeliveries: RenameJudged = async (tx, account, rename) => {
  const { pattern, renameInActsAs } = await judgedRenaming(tx, account, rename)
  const naming = await selectNamingDeliveries(tx, account, pattern)
  for await (const { id, actsAs } of readInSlices(naming, (slice) => selectRights(tx, account, slice))) {
    const renamed = renameInActsAs(actsAs)
    if (renamed !== actsAs) await updateRight(tx, account, id, renamed)
  }
}
