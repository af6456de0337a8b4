import { unzipped } from './unzipped.ts'

/** A cell of a sheet: `type` and `style` as the format names them; null if absent. */
export type SheetCell = { at: string; type: string | null; style: string | null; text: string }

/** Reads a workbook's parts, and the cells of its sheets by name. Supports only what the portal writes. */
export async function readWorkbookFile(bytes: Buffer) {
  const parts = new Map(Object.entries(await unzipped(bytes)))
  const names = Array.from((parts.get('xl/workbook.xml') ?? '').matchAll(/<sheet name="([^"]*)"/g), ([, name]) => name)
  const sheets = names.map((name, at) => ({
    name: textOf(name ?? ''),
    rows: readRows(parts.get(`xl/worksheets/sheet${at + 1}.xml`) ?? ''),
  }))
  return { parts, sheets }
}

/** Returns the texts of a sheet's cells, by row. */
export const textsOf = (rows: readonly SheetCell[][]): string[][] => rows.map((cells) => cells.map(({ text }) => text))

function readRows(xml: string): SheetCell[][] {
  return Array.from(xml.matchAll(/<row r="\d+">(.*?)<\/row>/gs), ([, cells = '']) =>
    Array.from(
      cells.matchAll(/<c r="([A-Z]+\d+)"(?: s="(\d+)")?(?: t="(\w+)")?>(?:<v>|<is><t xml:space="preserve">)(.*?)<\//gs),
      ([, at = '', style = null, type = null, text = '']) => ({ at, type, style, text: textOf(text) }),
    ),
  )
}

const references: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#10': '\n' }

const textOf = (xml: string): string =>
  xml
    .replaceAll(/&([^;]+);/g, (_, name: string) => references[name] ?? '?')
    .replaceAll(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
