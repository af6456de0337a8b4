/** Recognizes the container of Office files before 2007, which later files with a password use too. */
import type { SourceFile } from './source-file.ts'

const signature = 'd0cf11e0a1b11ae1'

export const isCompound = (magic: Buffer): boolean => magic.toString('hex', 0, 8) === signature

/** Offset in the header of the sector size, in which offsets are counted. */
const SECTOR_SHIFT_AT = 30
const DIRECTORY_AT = 48
/** Bytes read from the directory; the relevant entry is near its beginning. */
const DIRECTORY_BYTES = 4096

const advice = 'as .xlsx or CSV, and upload that.'

/** Returns why such a file cannot be imported, by its content. */
export async function whyCompound(file: SourceFile, magic: Buffer): Promise<string> {
  const directory = await readDirectory(file, magic)
  const has = (name: string) => directory.includes(Buffer.from(`${name}\0`, 'utf16le'))
  if (has('EncryptedPackage')) return `This workbook has a password. Save it without a password, ${advice}`
  if (has('Workbook') || has('Book')) return `This is an Excel workbook of before 2007 (.xls). Save it ${advice}`
  return `This is an Excel or Word file of before 2007, or one with a password. Save it ${advice}`
}

async function readDirectory(file: SourceFile, magic: Buffer): Promise<Buffer> {
  if (magic.length < DIRECTORY_AT + 4) return Buffer.alloc(0)
  // 512 or 4,096 bytes; the header occupies the first sector.
  const sectorBytes = 2 ** Math.min(magic.readUInt16LE(SECTOR_SHIFT_AT), 12)
  const start = (magic.readUInt32LE(DIRECTORY_AT) + 1) * sectorBytes
  if (start >= file.sizeBytes) return Buffer.alloc(0)
  const chunks: Buffer[] = []
  for await (const chunk of await file.stream(start, Math.min(file.sizeBytes, start + DIRECTORY_BYTES))) {
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
