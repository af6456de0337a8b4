import type { RecordBlock, RejectedRecord } from './record-block.ts'

/** Returns why a row of a block with the right number of cells cannot be loaded; null if it can. */
export type RefuseRow = (block: RecordBlock, row: number) => string | null

/** Combines checks: the reason of the first one that refuses a row. */
export const refuseByAny =
  (checks: readonly RefuseRow[]): RefuseRow =>
  (block, row) => {
    for (const check of checks) {
      const reason = check(block, row)
      if (reason !== null) return reason
    }
    return null
  }

/** Moves refused rows to the rejected records and closes the gaps. */
export function setRowsAside(block: RecordBlock, columns: number, refuse: RefuseRow): void {
  const refused: RejectedRecord[] = []
  let kept = 0
  for (let row = 0; row < block.rows; row++) {
    const reason = refuse(block, row)
    if (reason === null) {
      if (kept < row) moveRow(block, row, kept, columns)
      kept++
    } else {
      const [line = 0, start = 0, end = 0] = [block.lines[row], block.starts[row], block.ends[row]]
      refused.push({ line, start, end, cells: columns, faults: block.faults[row] ?? 0, reason })
    }
  }
  block.rows = kept
  if (refused.length === 0) return
  block.setAside = [...block.setAside, ...refused].toSorted((one, other) => one.start - other.start)
}

function moveRow(block: RecordBlock, from: number, to: number, columns: number): void {
  for (const offsets of [block.starts, block.ends, block.faults, block.lines]) offsets[to] = offsets[from] ?? 0
  block.cellEnds.copyWithin(to * columns, from * columns, (from + 1) * columns)
}
