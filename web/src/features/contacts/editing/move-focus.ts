const steps: Partial<Record<string, readonly [rows: number, cells: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** Moves the focus from one editable cell of a table to the next in the direction of an arrow key; false for other keys. */
export function moveFocus(from: HTMLElement, key: string): boolean {
  const step = steps[key]
  if (!step) return false
  const rows = [...(from.closest('tbody')?.rows ?? [])]
    .map((row) => [...row.querySelectorAll<HTMLElement>(':scope > :is(td, th) > [role="button"][tabindex]')])
    // Open rows are followed by their details.
    .filter((cells) => cells.length > 0)
  const row = rows.findIndex((cells) => cells.includes(from))
  const cell = rows[row]?.indexOf(from) ?? 0
  rows[row + step[0]]?.[cell + step[1]]?.focus()
  return true
}
