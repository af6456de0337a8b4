/** The good records are the block's rows; all arrays belong to the scanner and change with the next block. */
export type RecordBlock = {
  /** The header stands alone in the first block. */
  isHeader: boolean
  bytes: Buffer
  rows: number
  /** Row r is the bytes [starts[r], ends[r]), without its line end. */
  starts: Int32Array
  ends: Int32Array
  /** Cell c of row r ends before cellEnds[r * columns + c]; the next one starts a byte later. */
  cellEnds: Int32Array
  /** What has to be repaired in row r before PostgreSQL reads it: bits of `fault`, or 0. */
  faults: Uint8Array
  /** The line of the file that row r starts in. */
  lines: Int32Array
  setAside: RejectedRecord[]
}

/** A record that can't be imported, by its bytes [start, end) in the block. */
export type RejectedRecord = {
  line: number
  start: number
  end: number
  cells: number
  faults: number
  /** Why it was refused; null when it is broken. */
  reason: string | null
}
