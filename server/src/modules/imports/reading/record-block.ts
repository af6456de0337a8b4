/**
 * Faults of a record. The first four are repaired; `blankCell` means that a cell may be blank, which the repair
 * decides.
 */
export const fault = { strayQuote: 1, notUtf8: 2, blankCell: 4, notComposed: 8, textAfterQuote: 16, nul: 32 } as const

/** Good records of a window of the text, as rows. All arrays belong to the scanner and change with the next block. */
export type RecordBlock = {
  /** The first block contains only the header. */
  isHeader: boolean
  bytes: Buffer
  rows: number
  /** Row r is the bytes [starts[r], ends[r]), without its line end. */
  starts: Int32Array
  ends: Int32Array
  /** Cell c of row r ends before cellEnds[r * columns + c]; the next one starts a byte later. */
  cellEnds: Int32Array
  /** Repairs that row r needs before PostgreSQL reads it: bits of `fault`, or 0. */
  faults: Uint8Array
  /** Line of the file that row r starts in. */
  lines: Int32Array
  setAside: RejectedRecord[]
  /** Number of skipped records with only white space. */
  emptyRows: number
}

/** A record that cannot be imported, at bytes [start, end) of the block. */
export type RejectedRecord = {
  line: number
  start: number
  end: number
  cells: number
  faults: number
  /** Reason for refusing it; null when it is malformed. */
  reason: string | null
}
