/** Recognizes the container of Office files before 2007, in which later ones with a password are kept too. */
import type { SourceFile } from './source-file.ts'

const signature = 'd0cf11e0a1b11ae1'

export const isCompound = (magic: Buffer): boolean => magic.toString('hex', 0, 8) === signature

/** Where the header has the place of the list of contents, and the size of what it counts in. */
const SECTOR_SHIFT_AT = 30
const DIRECTORY_AT = 48
/** The list of contents names the one that matters early. */
const DIRECTORY_BYTES = 4096

const advice = 'as .xlsx or CSV, and upload that.'

/** The reason why such a file cannot be imported, by what it contains. */
export async function whyCompound(file: SourceFile, magic: Buffer): Promise<string> {
  const directory = await readDirectory(file, magic)
  const has = (name: string) => directory.includes(Buffer.from(`${name}\0`, 'utf16le'))
  if (has('EncryptedPackage')) return `This workbook has a password. Save it without a password, ${advice}`
  if (has('Workbook') || has('Book')) return `This is an Excel workbook of before 2007 (.xls). Save it ${advice}`
  return `This is an Excel or Word file of before 2007, or one with a password. Save it ${advice}`
}

async function readDirectory(file: SourceFile, magic: Buffer): Promise<Buffer> {
  if (magic.length < DIRECTORY_AT + 4) return Buffer.alloc(0)
  // 512 or 4,096 bytes; the header takes the place of the first one.
  const sectorBytes = 2 ** Math.min(magic.readUInt16LE(SECTOR_SHIFT_AT), 12)
  const start = (magic.readUInt32LE(DIRECTORY_AT) + 1) * sectorBytes
  if (start >= file.sizeBytes) return Buffer.alloc(0)
  const chunks: Buffer[] = []
  for await (const chunk of await file.stream(start, Math.min(file.sizeBytes, start + DIRECTORY_BYTES))) {
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
