import { buffer } from 'node:stream/consumers'
import yauzl from 'yauzl'

/** Returns the files of an archive by name. */
export async function unzippedBytes(bytes: Buffer): Promise<Record<string, Buffer>> {
  const archive = await yauzl.fromBufferPromise(bytes)
  const files: Record<string, Buffer> = {}
  for await (const entry of archive.eachEntry()) {
    files[entry.fileName] = await buffer(await archive.openReadStreamPromise(entry))
  }
  return files
}

/** The same, as text. */
export async function unzipped(bytes: Buffer): Promise<Record<string, string>> {
  const files = Object.entries(await unzippedBytes(bytes))
  return Object.fromEntries(files.map(([name, file]) => [name, file.toString('utf8')]))
}
