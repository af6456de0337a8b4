/** Reads CSV as spreadsheets do: records of cells, with quotes, delimiters and line breaks inside quotes. */
export function parseCsv(text: string, delimiter: string): string[][] {
  const records: string[][] = []
  let cells: string[] = []
  let at = 0
  while (at < text.length) {
    const [cell, end] = text[at] === '"' ? readQuoted(text, at + 1) : readPlain(text, at, delimiter)
    cells.push(cell)
    if (text[end] !== delimiter) {
      records.push(cells)
      cells = []
    } else if (end + 1 === text.length || text[end + 1] === '\n') {
      // An empty cell at the end of the record.
      cells.push('')
      records.push(cells)
      cells = []
      at = end + 2
      continue
    }
    at = end + 1
  }
  return records
}

function readPlain(text: string, start: number, delimiter: string): [string, number] {
  let end = start
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end++
  return [text.slice(start, end), end]
}

function readQuoted(text: string, start: number): [string, number] {
  let end = start
  while (text[end] !== '"' || text[end + 1] === '"') end += text[end] === '"' ? 2 : 1
  return [text.slice(start, end).replaceAll('""', '"'), end + 1]
}
