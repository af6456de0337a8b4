import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, mailbox } from './portal.ts'

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
  const names = (await readdir(mailbox()).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(mailbox(), name), 'utf8')))
  return texts.filter((text) => new RegExp(`^To: .*${email}`, 'im').test(text))
}

function linkIn(text: string, path: string): string | undefined {
  // Quoted-printable: lines are wrapped, and equals signs encoded.
  const plain = text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
  return new RegExp(`https?://[^\\s"<>]*${path}#[\\w-]+=[\\w-]+`).exec(plain)?.[0]
}

type SenderApi = { post: (path: string, body: object) => Promise<unknown> }

/** Verifies an address as a sender of the account of `api`, by the link in the mail to it. */
export async function verifySender(api: SenderApi, address: string): Promise<void> {
  await api.post('/contact-service/v1/senders', { address })
  const link = new URL(await linkTo(address, '/confirm-sender')).hash.replace('#link=', '')
  await api.post('/contact-service/v1/sender-links/confirm', { link })
}
