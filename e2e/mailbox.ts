import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, outbox } from './portal.ts'

/** Waits for a message with a link to `path`, and returns the link of the latest one. */
export async function linkTo(email: string, path: string): Promise<string> {
  let found: string | undefined
  await expect
    .poll(async () => (found = (await messagesTo(email)).map((text) => linkIn(text, path)).findLast(Boolean)), {
      message: `a message to ${email} with a link to ${path}`,
    })
    .toBeTruthy()
  return found ?? ''
}

/** Oldest first. */
async function messagesTo(email: string): Promise<string[]> {
  const names = (await readdir(outbox()).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(outbox(), name), 'utf8')))
  return texts.filter((text) => new RegExp(`^To: .*${email}`, 'im').test(text))
}

function linkIn(text: string, path: string): string | undefined {
  // Quoted-printable: lines are wrapped, and equals signs encoded.
  const plain = text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
  return new RegExp(`https?://[^\\s"<>]*${path}#[\\w-]+=[\\w-]+`).exec(plain)?.[0]
}
