import { findUnnamed, withNames } from '@portico/contract/import-header'
import type { PreviewHeader, RememberedHeader } from '@portico/contract/import-preview'
import { tidyName } from '@portico/domain/names'
import type { HeaderOfImport } from '../imports.queries.ts'
import { type HeaderSettings, readFileHeader } from '../import-file-columns.ts'
import type { SourceFile } from '../reading/source-file.ts'
import { FileRefused } from '../reading/source-text-refused.ts'
import { shownCell, shownCells } from './first-lines.ts'

/** Maximum number of earlier imports whose headers are compared. */
const mostHeaders = 50

/**
 * Finds the header of an earlier import among the first lines of a file, where a line or names were chosen for that
 * import. Null if the settings already say how the header is read, or if it would be read so by default.
 */
export async function findRememberedHeader(
  file: SourceFile,
  settings: HeaderSettings,
  lines: PreviewHeader['lines'],
  select: (most: number) => Promise<HeaderOfImport[]>,
): Promise<RememberedHeader | null> {
  const [first] = lines
  if (settings.headerLine !== null || settings.nameColumns || !first) return null
  for (const known of await select(mostHeaders)) {
    const { name, header, name_columns: nameColumns } = known
    const found = lines.find(({ cells }) => mayBe(cells, known))
    if (!found || (found.line === first.line && !nameColumns)) continue
    const headerLine = found.line === first.line ? null : found.line
    if (await isHeader(file, { ...settings, headerLine, nameColumns }, header)) return { name, headerLine, nameColumns }
  }
  return null
}

/** Whether the beginnings of the first cells of a line are those of a header. */
function mayBe(cells: readonly string[], { header, name_columns: areNamed }: HeaderOfImport): boolean {
  const names = cells.map(tidyName)
  const shown = areNamed ? withNames(names, findUnnamed(names)) : names
  // Later cells are not shown.
  const count = Math.min(shownCells, Math.max(header.length, names.length))
  return Array.from({ length: count }, (_, at) => at).every((at) => isSame(header, shown, at, shownCell))
}

/** Whether a column has the name that it had for the import, where a blank column without values had none. */
function isSame(
  known: readonly string[],
  names: readonly string[],
  at: number,
  shorten = (name: string): string => name,
): boolean {
  const [before = '', now = ''] = [known[at], names[at]]
  return before === '' ? now === '' || now === `Column ${at + 1}` : shorten(before) === shorten(now)
}

async function isHeader(file: SourceFile, settings: HeaderSettings, header: readonly string[]): Promise<boolean> {
  try {
    const { names } = (await readFileHeader(file, settings)).columns
    return names.length === header.length && names.every((_name, at) => isSame(header, names, at))
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error
    return false
  }
}
