import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import { SMTPServer } from 'smtp-server'

/** Starts a mail server that writes each message to a file of the folder, named by its time. Returns its URL. */
export async function startMailServer(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData(stream, _session, done) {
      callbackify(async () => {
        const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}`
        await writeFile(join(folder, `${name}.part`), await buffer(stream))
        await rename(join(folder, `${name}.part`), join(folder, `${name}.eml`))
      })(done)
    },
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
  // A server that listens on a port has an address of this form.
  const { port } = server.server.address() as AddressInfo
  return `smtp://127.0.0.1:${port}`
}
