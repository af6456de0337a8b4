import type { PreviewHeader } from '@portico/contract/import-preview'
import { type FileHeader, type HeaderSettings, readFileHeader } from '../import-file-columns.ts'
import { delimiterOf } from '../import-plan.ts'
import { sampledTexts } from '../import-sample.ts'
import type { SourceFile } from '../reading/source-file.ts'
import { listSheets, openSourceText } from '../reading/source-text.ts'
import { FileRefused } from '../reading/source-text-refused.ts'
import { type FirstValues, HeaderUnclear, unnamedColumns } from './column-names.ts'
import { findLikelyLine, readFirstLines } from './first-lines.ts'

type Lines = PreviewHeader['lines']
type DescribedHeader = Omit<PreviewHeader, 'remembered'>

/** Returns the first lines of a file, regardless of which is the header; none for a file that cannot be read. */
export async function firstLinesOf(
  file: SourceFile,
  { delimiter: name, sheet, takesGuardsOff }: HeaderSettings,
): Promise<Lines> {
  const delimiter = delimiterOf(name)
  try {
    const isSheet = (await listSheets(file)) !== null
    const text = openSourceText(file, { delimiter, sheet, tableBytes: sampledTexts })
    return await readFirstLines(text, { delimiter, isSheet, takesGuardsOff: takesGuardsOff && !isSheet })
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error
    return []
  }
}

/** Describes, in a preview, a header that an import accepts. */
export function describeHeader(
  { line, columns }: FileHeader,
  firstValues: FirstValues,
  lines: Lines,
  { headerLine }: Pick<HeaderSettings, 'headerLine'>,
): DescribedHeader {
  return {
    line,
    lines,
    likelyLine: likelyLine(lines, line, headerLine),
    ...unnamedColumns(columns, firstValues),
    refusal: null,
  }
}

/** Describes a header for which, or for whose rows, the import would reject the file. */
export async function describeRefused(
  file: SourceFile,
  settings: HeaderSettings,
  lines: Lines,
  error: FileRefused,
): Promise<DescribedHeader> {
  const line = await findLine(file, settings)
  return {
    line,
    lines,
    likelyLine: likelyLine(lines, line, settings.headerLine),
    unnamed: error instanceof HeaderUnclear ? error.unnamed : [],
    leftOut: [],
    refusal: error.message,
  }
}

async function findLine(file: SourceFile, settings: HeaderSettings): Promise<number | null> {
  try {
    return (await readFileHeader(file, settings)).line
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error
    return null
  }
}

/** Returns the likely header line if it differs from `line`; null if the user has chosen a line. */
function likelyLine(lines: Lines, line: number | null, chosen: number | null): number | null {
  const likely = chosen === null ? findLikelyLine(lines) : null
  return likely === line ? null : likely
}
