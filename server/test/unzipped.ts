import { buffer } from 'node:stream/consumers'
import yauzl from 'yauzl'

/** The files of an archive, as text, by their name. */
export async function unzipped(bytes: Buffer): Promise<Record<string, string>> {
  const archive = await yauzl.fromBufferPromise(bytes)
  const files: Record<string, string> = {}
  for await (const entry of archive.eachEntry()) {
    files[entry.fileName] = (await buffer(await archive.openReadStreamPromise(entry))).toString('utf8')
  }
  return files
}
