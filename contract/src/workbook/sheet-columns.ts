import type { FieldFormat } from '@portico/domain/field-format'

export type CellType = 'string' | 'number' | 'boolean' | 'date' | 'day' | 'id'

/** A column of a sheet. `format`: of its numbers; without one they are shown as they are. */
export type SheetColumn = { name: string; type: CellType; format?: FieldFormat | undefined }

/** Maximum characters of a cell's text. */
export const mostCharacters = 32_767
/** Maximum rows of a sheet, including its header. */
export const mostSheetRows = 1_048_576

/** A text exceeds the maximum of a cell. `column`: its position, from 0. */
export class CellTooLong extends Error {
  readonly column: number

  constructor(column: number) {
    super(`The text in column ${column + 1} is too long for a sheet.`)
    this.name = 'CellTooLong'
    this.column = column
  }
}

/** Returns the message that a column with this name does not fit into a workbook. */
export const tooLongText = (name: string | undefined): string =>
  `"${name}" has a text of more than ${mostCharacters.toLocaleString('en-US')} characters, the most that a cell of an Excel workbook takes.`

/** Returns the letters of a column, counted from 0: A to Z, AA, and so on. */
export function columnLetters(at: number): string {
  const last = String.fromCharCode('A'.charCodeAt(0) + (at % 26))
  return at < 26 ? last : columnLetters(Math.floor(at / 26) - 1) + last
}
