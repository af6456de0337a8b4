/** Reads the beginning of files in a zip file by its central directory, as far as the browser can. */

/** Place of a file in a zip file. */
export type ZipPart = { name: string; start: number; packedBytes: number; isDeflated: boolean }

const tailBytes = 128 * 1024
const endSignature = 0x06054b50
const entrySignature = 0x02014b50
/** Marks a number that a larger file stores elsewhere. */
const elsewhere = 0xffffffff

/** The files of a zip file; null if it is not one, or too large for the browser. */
export async function listParts(file: Blob): Promise<ZipPart[] | null> {
  const tailStart = Math.max(0, file.size - tailBytes)
  const tail = await bytesOf(file, tailStart, file.size)
  const end = findEnd(tail)
  if (end === null) return null
  const size = tail.getUint32(end + 12, true)
  const start = tail.getUint32(end + 16, true)
  if (size === elsewhere || start === elsewhere || start + size > file.size) return null
  return readEntries(await bytesOf(file, start, start + size))
}

function findEnd(tail: DataView): number | null {
  for (let at = tail.byteLength - 22; at >= 0; at--) if (tail.getUint32(at, true) === endSignature) return at
  return null
}

function readEntries(list: DataView): ZipPart[] {
  const parts: ZipPart[] = []
  for (let at = 0; at + 46 <= list.byteLength && list.getUint32(at, true) === entrySignature;) {
    const nameBytes = list.getUint16(at + 28, true)
    const name = new TextDecoder().decode(new Uint8Array(list.buffer, list.byteOffset + at + 46, nameBytes))
    const start = list.getUint32(at + 42, true)
    const packedBytes = list.getUint32(at + 20, true)
    parts.push({ name, start, packedBytes, isDeflated: list.getUint16(at + 10, true) === 8 })
    at += 46 + nameBytes + list.getUint16(at + 30, true) + list.getUint16(at + 32, true)
  }
  return parts
}

const mostBytes = 512 * 1024
/** Packed bytes that always suffice for this many unpacked ones, however little they were compressed. */
const mostPacked = 2 * mostBytes

/** The beginning of a part: all of it, or about half a megabyte. */
export async function readBeginning(file: Blob, part: ZipPart): Promise<Uint8Array> {
  const header = await bytesOf(file, part.start, part.start + 30)
  const start = part.start + 30 + header.getUint16(26, true) + header.getUint16(28, true)
  const packed = file.slice(start, start + part.packedBytes)
  if (part.isDeflated) return unpackBeginning(packed, 'deflate-raw')
  return new Uint8Array(await packed.slice(0, mostPacked).arrayBuffer())
}

/** The beginning of compressed bytes, unpacked: all of it, or about half a megabyte. */
export async function unpackBeginning(packed: Blob, format: CompressionFormat): Promise<Uint8Array> {
  const engine = new DecompressionStream(format)
  const writer = engine.writable.getWriter()
  // Failures surface on the reading side.
  writer.write(new Uint8Array(await packed.slice(0, mostPacked).arrayBuffer())).catch(() => undefined)
  if (packed.size <= mostPacked) writer.close().catch(() => undefined)
  return readBytes(engine.readable)
}

async function readBytes(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = stream.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let bytes = 0; bytes < mostBytes;) {
    const { value, done } = await reader.read()
    if (done) break
    chunks.push(new Uint8Array(value))
    bytes += value.byteLength
  }
  await reader.cancel().catch(() => undefined)
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

const bytesOf = async (file: Blob, start: number, end: number): Promise<DataView<ArrayBuffer>> =>
  new DataView(await file.slice(start, end).arrayBuffer())
