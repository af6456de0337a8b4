import type { AccountId } from '@portico/contract/accounts'
import type { SheetColumn } from '@portico/contract/workbook/sheet-columns'
import { formatOf, readShownGrouping } from '@portico/domain/pipeline/grouping'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { listContactFields } from '#contacts'
import type { Db } from '#platform/database.ts'
import type { ExportSelection } from './export-selection.ts'
import { readStages } from './export-stages.service.ts'
import type { ExportRow } from './exports.queries.ts'

/**
 * Returns the columns of a workbook: numbers have the format of their field, including those computed from it in
 * groups.
 */
export async function sheetColumnsOf(
  db: Db,
  account: AccountId,
  { filter }: Pick<ExportRow, 'filter'>,
  { fields }: Pick<ExportSelection, 'fields'>,
): Promise<SheetColumn[]> {
  const known = await listContactFields(db, account)
  const grouping = readShownGrouping(parsePipeline(readStages(filter)), known)
  const ofGroups = (name: string) =>
    grouping?.formats?.[name] ?? grouping?.keys.find((key) => key.name === name && key.part === null)?.format
  return fields.map(({ name, type }) => {
    const format = grouping ? ofGroups(name) : formatOf(name, known)
    return { name, type, ...(format && { format }) }
  })
}
