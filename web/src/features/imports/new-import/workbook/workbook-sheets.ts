import { listParts, readBeginning, type ZipPart } from './zip-head.ts'

// The browser reads only as much of a workbook as the form needs: the names of its sheets, and the header of one. The
// server reads all of it, and its preview is authoritative.

export type WorkbookSheet = { name: string; isHidden: boolean }

export type WorkbookFile = {
  sheets: WorkbookSheet[]
  /** Names of the columns of a sheet; null if the browser cannot read them. */
  readColumns: (sheet: string) => Promise<string[] | null>
}

/** Null for a file that the browser cannot read; the server gives the reason. */
export async function openWorkbook(file: Blob): Promise<WorkbookFile | null> {
  const parts = new Map((await listParts(file))?.map((part) => [plainName(part.name), part]))
  const read = async (name: string): Promise<string | null> => {
    const part: ZipPart | undefined = parts.get(name)
    return part ? new TextDecoder().decode(await readBeginning(file, part), { stream: true }) : null
  }
  const main = [...parts.keys()].find((name) => /^xl\/workbook\d*\.xml$/.test(name))
  const list = main ? await read(main) : null
  const relations = main ? await read(main.replace('xl/', 'xl/_rels/').concat('.rels')) : null
  if (list === null || relations === null) return null
  const links = elementsOf(relations, 'Relationship').map((link) => ({
    id: link.getAttribute('Id'),
    type: link.getAttribute('Type') ?? '',
    target: resolved(link.getAttribute('Target') ?? ''),
  }))
  const paths = new Map<string, string>()
  const sheets = elementsOf(list, 'sheet').flatMap((sheet): WorkbookSheet[] => {
    const id = [...sheet.attributes].find(({ localName, prefix }) => localName === 'id' && prefix !== null)?.value
    const link = links.find((one) => one.id === id && one.type.endsWith('/worksheet'))
    const name = sheet.getAttribute('name') ?? ''
    if (!link) return []
    paths.set(name, link.target)
    return [{ name, isHidden: /hidden/i.test(sheet.getAttribute('state') ?? '') }]
  })
  const texts = links.find(({ type }) => type.endsWith('/sharedStrings'))?.target ?? ''
  return {
    sheets,
    readColumns: async (name) => headerOf((await read(paths.get(name) ?? '')) ?? '', () => read(texts)),
  }
}

/** The same choice as the server's: the first sheet that is not hidden. */
export const firstSheet = (sheets: readonly WorkbookSheet[]): string | null =>
  (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])?.name ?? null

const plainName = (name: string): string => name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase()

/** The name of a part that the list of sheets refers to. */
function resolved(target: string): string {
  const names: string[] = []
  for (const name of plainName(/^[/\\]/.test(target) ? target : `xl/${target}`).split('/')) {
    if (name === '..') names.pop()
    else names.push(name)
  }
  return names.join('/')
}

function elementsOf(xml: string, name: string): Element[] {
  // The server refuses it.
  if (/<!doctype/i.test(xml)) return []
  const found = new DOMParser().parseFromString(xml, 'text/xml')
  return [...found.getElementsByTagNameNS('*', name)]
}

/** The cells of the first row that has any, from the beginning of a sheet. */
async function headerOf(sheet: string, readTexts: () => Promise<string | null>): Promise<string[] | null> {
  for (const row of piecesOf(sheet, 'row')) {
    const cells = elementsOf(row, 'c').filter((cell) => cell.textContent !== '')
    if (cells.length === 0) continue
    const texts = cells.some((cell) => cell.getAttribute('t') === 's') ? piecesOf((await readTexts()) ?? '', 'si') : []
    const names = cells.map((cell) => nameIn(cell, texts))
    // A number may be displayed in another format.
    return names.includes(null) ? null : names.flatMap((name) => name?.trim() || [])
  }
  return null
}

function nameIn(cell: Element, texts: readonly string[]): string | null {
  const type = cell.getAttribute('t')
  if (type === 'str') return unescaped(textOf([...cell.getElementsByTagNameNS('*', 'v')]))
  if (type === 'inlineStr') return unescaped(textOf(runsOf(cell)))
  const text = type === 's' ? texts[Number(cell.textContent)] : undefined
  return text === undefined ? null : unescaped(textOf(elementsOf(text, 't').filter(isNoReading)))
}

const runsOf = (cell: Element): Element[] => [...cell.getElementsByTagNameNS('*', 't')].filter(isNoReading)
/** East Asian texts may include their pronunciation. */
const isNoReading = (run: Element): boolean => run.parentElement?.localName !== 'rPh'
const textOf = (runs: readonly Element[]): string => runs.map(({ textContent }) => textContent).join('')
const unescaped = (text: string): string =>
  text.replaceAll(/_x([\da-f]{4})_/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const openings = { row: /<(?:\w+:)?row(?:\s[^<>]*)?>/g, si: /<(?:\w+:)?si(?:\s[^<>]*)?>/g }

/** The complete elements of that name at the beginning of a part, without the surrounding elements. */
function piecesOf(xml: string, name: keyof typeof openings): string[] {
  const pieces: string[] = []
  for (const { 0: tag, index } of xml.matchAll(openings[name])) {
    if (tag.endsWith('/>')) pieces.push('<x/>')
    const end = tag.endsWith('/>') ? -1 : endOf(xml, name, index)
    // Prefixes are declared outside the piece.
    if (end !== -1) pieces.push(`<x>${withoutPrefixes(xml.slice(index + tag.length, end))}</x>`)
  }
  return pieces
}

function endOf(xml: string, name: string, from: number): number {
  const ends = [xml.indexOf(`</${name}>`, from), xml.indexOf(`:${name}>`, from)].filter((at) => at !== -1)
  return ends.length > 0 ? xml.lastIndexOf('</', Math.min(...ends)) : -1
}

const withoutPrefixes = (xml: string): string => xml.replaceAll(/<(\/?)\w+:/g, '<$1').replaceAll(/\s\w+:(\w+=)/g, ' $1')
