import { hasEnding } from '@portico/contract/files'
import { createGunzip } from 'node:zlib'
import type { SourceFile } from './source-file.ts'
import { FileRefused } from './source-text-refused.ts'
import { CHUNK_BYTES, limited, unpack } from './unpacking.ts'
import { type OpenZip, readEntry, requireReadable, type ZipEntry } from './zip-file.ts'

/** Unpacks a gzip file of one or more members; `onBytesRead` gets the number of packed bytes consumed. */
export async function* readGzip(file: SourceFile, onBytesRead: (sofar: number) => void): AsyncGenerator<Buffer> {
  yield* limited(unpack(await file.stream(), createGunzip({ chunkSize: CHUNK_BYTES }), onBytesRead), file)
}

/** Unpacks the one text file in a zip file and verifies its checksum. */
export async function* readZip(
  file: SourceFile,
  zip: OpenZip,
  onBytesRead: (sofar: number) => void,
): AsyncGenerator<Buffer> {
  const { entry } = chooseTextEntry(zip.entries)
  requireReadable(entry)
  yield* readEntry(file, zip, entry, onBytesRead)
}

/** A real file has one entry, and perhaps some that the operating system adds. */
const MAX_ENTRIES = 1000

const saveAsCsv = 'Save it as CSV and upload that.'
const saveWorkbook = 'Save it as .xlsx or CSV and upload that.'

/** Documents that are zip files, recognized by a file inside. */
const documents = [
  { part: 'xl/workbook.bin', kind: 'a binary Excel workbook (.xlsb)', advice: saveWorkbook },
  { part: 'word/document.xml', kind: 'a Word document', advice: saveAsCsv },
  { part: 'ppt/presentation.xml', kind: 'a PowerPoint presentation', advice: saveAsCsv },
  { part: 'Index/Document.iwa', kind: 'a Numbers or Pages document', advice: saveWorkbook },
  { part: 'content.xml', kind: 'an OpenDocument file (.ods or another)', advice: saveWorkbook },
]

function chooseTextEntry(all: readonly ZipEntry[]): ZipEntry {
  if (all.length > MAX_ENTRIES) throw notOneText(`${all.length.toLocaleString('en-US')} files`, [])
  const entries = all.filter(({ name }) => isContent(name))
  const texts = entries.filter(({ name }) => hasEnding(name, ['.csv', '.txt']))
  const [only] = texts
  if (texts.length > 1) throw notOneText(`${texts.length} .csv or .txt files`, texts)
  if (only) return only
  const document = documents.find(({ part }) => entries.some(({ name }) => name === part))
  if (document) throw new FileRefused(`This is ${document.kind}, not a text file. ${document.advice}`)
  throw notOneText('no .csv or .txt file', entries)
}

/** Returns true for entries other than folders and files that the operating system adds. */
function isContent(name: string): boolean {
  const baseName = name.slice(name.lastIndexOf('/') + 1)
  return baseName !== '' && !baseName.startsWith('.') && !name.startsWith('__MACOSX/')
}

const MAX_NAMES_LISTED = 5
const MAX_NAME_LENGTH = 80

function notOneText(found: string, entries: readonly ZipEntry[]): FileRefused {
  const names = entries.slice(0, MAX_NAMES_LISTED).map(({ name }) => name.slice(0, MAX_NAME_LENGTH))
  if (entries.length > names.length) names.push(`and ${entries.length - names.length} more`)
  const list = names.length > 0 ? ` (${names.join(', ')})` : ''
  const workbook = entries.some(({ name }) => hasEnding(name, ['.xlsx', '.xlsm'])) ? ' Upload a workbook as it is.' : ''
  return new FileRefused(
    `The zip file contains ${found}${list}. It must contain exactly one .csv or .txt file.${workbook}`,
  )
}
