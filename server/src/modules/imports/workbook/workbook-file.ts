/** The parts of a workbook (.xlsx or .xlsm, Office Open XML) and their places in the zip file. */
import type { Entry } from 'yauzl'
import type { SourceFile } from '../reading/source-file.ts'
import { isSameName, lowerAscii } from '@portico/domain/names'
import { FileRefused } from '../reading/source-text-refused.ts'
import { type OpenZip, readEntry } from '../reading/zip-file.ts'
import { damagedXml, type XmlHandler, XmlScanner } from './xml-scanner.ts'
import { utf8Of } from './xml-encoding.ts'

/** A sheet with cells. Sheets with only a chart are left out. */
export type Sheet = { name: string; isHidden: boolean; entry: Entry }

export type Workbook = {
  file: SourceFile
  zip: OpenZip
  sheets: Sheet[]
  /** Days count from 1904, as in workbooks of old Macs. */
  isDate1904: boolean
  sharedStrings: Entry | null
  styles: Entry | null
}

/** A file without the requested sheet. */
export class SheetMissing extends FileRefused {}

/** Main part of a workbook; some programs add a number. */
const mainPart = /^xl\/workbook\d*\.xml$/

/** Returns whether a zip file is a workbook. */
export const isWorkbook = ({ entries }: OpenZip): boolean => entries.some(({ name }) => mainPart.test(plainName(name)))

/** Reads the parts of a workbook except its cells. @throws FileRefused if it is damaged */
export async function openWorkbook(file: SourceFile, zip: OpenZip): Promise<Workbook> {
  const parts = new Map(zip.entries.map(({ name, entry }) => [plainName(name), entry]))
  const found = zip.entries.map(({ name }) => plainName(name)).find((name) => mainPart.test(name))
  const main = (await readRelations(file, zip, parts, '')).find(({ type }) => type === 'officeDocument')
  const path = main && parts.has(main.target) ? main.target : (found ?? '')
  const relations = await readRelations(file, zip, parts, path)
  const { sheets: listed, isDate1904 } = await readMainPart(file, zip, partOf(parts, path))
  const byId = new Map(relations.map((one) => [one.id, one]))
  const sheets = listed.flatMap(({ id, ...sheet }) => {
    const relation = byId.get(id)
    const entry = relation?.type === 'worksheet' ? parts.get(relation.target) : undefined
    return entry ? [{ ...sheet, entry }] : []
  })
  if (sheets.length === 0) throw new FileRefused('The workbook has no sheet with cells.')
  const ofType = (type: string) => parts.get(relations.find((one) => one.type === type)?.target ?? '') ?? null
  return { file, zip, sheets, isDate1904, sharedStrings: ofType('sharedStrings'), styles: ofType('styles') }
}

/**
 * Returns the sheet with a name; without a name, the first that is not hidden.
 * @throws SheetMissing naming the sheets
 */
export function chooseSheet({ sheets }: Workbook, name: string | null): Sheet {
  const first = sheets.find(({ isHidden }) => !isHidden) ?? sheets[0]
  const chosen =
    name === null
      ? first
      : (sheets.find((sheet) => sheet.name === name) ?? sheets.find((sheet) => isSameName(sheet.name, name)))
  if (chosen) return chosen
  const shown = sheets.slice(0, MAX_NAMES_LISTED).map((sheet) => `"${sheet.name}"`)
  if (sheets.length > shown.length) shown.push(`and ${sheets.length - shown.length} more`)
  throw new SheetMissing(`The workbook has no sheet "${name}". Its sheets: ${shown.join(', ')}.`)
}

const MAX_NAMES_LISTED = 20

/** Reads a part with an XML handler, to its end. */
export async function readPart(
  { file, zip }: Pick<Workbook, 'file' | 'zip'>,
  entry: Entry,
  names: readonly string[],
  handler: XmlHandler,
): Promise<void> {
  if (entry.uncompressedSize > MAX_PART_BYTES) throw damagedXml('its list of sheets or styles is larger than 64 MiB')
  const scanner = new XmlScanner(names, handler)
  for await (const chunk of utf8Of(readEntry(file, zip, entry))) scanner.write(chunk)
  scanner.end()
}

/** Maximum size of a part kept in memory while it is read; sheets and shared strings are not. */
const MAX_PART_BYTES = 64 * 1024 * 1024

/** Maximum number of sheets; Excel is only limited by memory, and people use some dozens. */
const MAX_SHEETS = 10_000

/** Some programs write backslashes, or different letter case. */
const plainName = (name: string): string => lowerAscii(name).replaceAll('\\', '/').replace(/^\//, '')

function partOf(parts: ReadonlyMap<string, Entry>, path: string): Entry {
  const entry = parts.get(path)
  if (!entry) throw damagedXml('its list of sheets is missing')
  return entry
}

/**
 * A link between two parts. `type` is the last word of its address, which differs between two editions of the format.
 */
type Relation = { id: string; type: string; target: string }

/** Links to other parts, such as pictures, are not read. */
const relationTypes = new Set(['officeDocument', 'worksheet', 'sharedStrings', 'styles'])
const MAX_RELATIONS = 20_000

async function readRelations(
  file: SourceFile,
  zip: OpenZip,
  parts: ReadonlyMap<string, Entry>,
  path: string,
): Promise<Relation[]> {
  const slash = path.lastIndexOf('/') + 1
  const folder = path.slice(0, slash)
  const entry = parts.get(`${folder}_rels/${path.slice(slash)}.rels`)
  if (!entry) return []
  const relations: Relation[] = []
  await readPart({ file, zip }, entry, ['Relationship'], {
    open: (name, attributes) => {
      // Never read anything outside the file.
      if (name !== 0 || attributes.find('TargetMode') === 'External') return
      const address = attributes.find('Type') ?? ''
      const type = address.slice(address.lastIndexOf('/') + 1)
      if (!relationTypes.has(type)) return
      if (relations.length === MAX_RELATIONS) throw damagedXml('it links more than 20,000 sheets')
      const target = attributes.find('Target') ?? ''
      relations.push({
        id: attributes.find('Id') ?? '',
        type,
        target: resolvePart(folder, target),
      })
    },
    close: () => {},
    text: () => {},
  })
  return relations
}

/** Returns the name of a part that another part in this folder refers to. */
function resolvePart(folder: string, target: string): string {
  const path = /^[/\\]/.test(target) ? target : folder + target
  const names: string[] = []
  for (const name of plainName(path).split('/')) {
    if (name === '..') names.pop()
    else if (name !== '.' && name !== '') names.push(name)
  }
  return names.join('/')
}

type ListedSheet = { id: string; name: string; isHidden: boolean }

async function readMainPart(file: SourceFile, zip: OpenZip, entry: Entry) {
  const sheets: ListedSheet[] = []
  let isDate1904 = false
  await readPart({ file, zip }, entry, ['sheet', 'workbookPr'], {
    open: (name, attributes) => {
      if (name === 1) isDate1904 = ['1', 'true'].includes(attributes.find('date1904') ?? '')
      if (name !== 0) return
      if (sheets.length === MAX_SHEETS)
        throw damagedXml(`it lists more than ${MAX_SHEETS.toLocaleString('en-US')} sheets`)
      sheets.push({
        id: attributes.find('id') ?? '',
        name: attributes.find('name') ?? '',
        isHidden: ['hidden', 'veryHidden'].includes(attributes.find('state') ?? ''),
      })
    },
    close: () => {},
    text: () => {},
  })
  return { sheets, isDate1904 }
}
