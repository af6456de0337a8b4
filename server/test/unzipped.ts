import { buffer } from 'node:stream/consumers'
import yauzl from 'yauzl'

/** Returns the files of an archive as text, by name. */
export async function unzipped(bytes: Buffer): Promise<Record<string, string>> {
  const archive = await yauzl.fromBufferPromise(bytes)
  const files: Record<string, string> = {}
  for await (const entry of archive.eachEntry()) {
    files[entry.fileName] = (await buffer(await archive.openReadStreamPromise(entry))).toString('utf8')
  }
  return files
}
