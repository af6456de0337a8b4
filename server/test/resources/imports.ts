import type { Import, NewEventImport, NewImport } from '@portico/contract/imports'
import { vi } from 'vitest'
import type { Answer, Member, TestPortal } from '#test/kit/portal.ts'

/** A file of two contacts, and settings that give them PURLs and find them again by email. */
export const twoContacts = 'First,Last,Email\nAda,King,a@x\nBob,Ray,b@x\n'
export const withPurl = {
  generatePURL: true,
  dedupHashMatching: true,
  purlColumns: ['First', 'Last'],
  dedupColumns: ['Email'],
} satisfies Partial<NewImport>

/** Uploads a file as the browser does: requests a link, then sends the bytes to it. */
export async function upload(
  portal: TestPortal,
  member: Member,
  fileName: string,
  content: Buffer | string,
): Promise<void> {
  const { url } = (await member.get(`/contact-service/v1/uploads/${encodeURIComponent(fileName)}?type=text/csv`)).json<{
    url: string
  }>()
  const reply = await portal.app.inject({
    method: 'PUT',
    url,
    headers: { 'content-type': 'text/csv' },
    payload: Buffer.from(content),
  })
  if (reply.statusCode !== 200) throw new Error(`upload failed: ${reply.body}`)
}

let lastNumber = 0

/** Returns an import with the given settings, and defaults for the rest. */
export function anImport(changes: Partial<NewImport> = {}): NewImport {
  return {
    name: `Import ${++lastNumber}`,
    filePath: 'contacts.csv',
    fileDelimiter: 'comma',
    processBatchSize: 25,
    generatePURL: false,
    purlGenerationScope: 'account',
    dedupHashMatching: false,
    typeCasting: false,
    exportOnImportCompletion: false,
    ...changes,
  }
}

/** Uploads and submits a file, and returns the accepted import. */
export async function submit(
  portal: TestPortal,
  member: Member,
  content: Buffer | string,
  changes: Partial<NewImport> = {},
): Promise<Import> {
  const draft = anImport(changes)
  await upload(portal, member, draft.filePath, content)
  const reply = await member.post('/contact-service/v1/imports', draft)
  if (reply.status !== 201) throw new Error(`import refused: ${JSON.stringify(reply.body)}`)
  return reply.json<Import>()
}

/** Waits until the import has ended, and returns it. */
export async function ended(member: Member, id: string): Promise<Import> {
  return vi.waitUntil(
    async () => {
      const current = (await member.get(`/contact-service/v1/imports/${id}`)).json<Import>()
      return current.status === 'completed' || current.status === 'rejected' ? current : null
    },
    { interval: 20, timeout: 50_000 },
  )
}

/** Uploads, submits and waits for the end. The portal's worker must be running. */
export async function importFile(
  portal: TestPortal,
  member: Member,
  content: Buffer | string,
  changes: Partial<NewImport> = {},
): Promise<Import> {
  return ended(member, (await submit(portal, member, content, changes))._id)
}

/** A valid import of events, whose contacts are found by their email. */
export const anEventImport = (changes: Partial<NewEventImport> = {}): NewEventImport => ({
  kind: 'events',
  name: `Events ${++lastNumber}`,
  filePath: 'events.csv',
  fileDelimiter: 'comma',
  processBatchSize: 25,
  keyColumn: 'Email',
  keyField: 'Email',
  ...changes,
})

/** Uploads and submits a file of events. Returns the accepted import. */
export async function submitEvents(
  portal: TestPortal,
  member: Member,
  content: Buffer | string,
  changes: Partial<NewEventImport> = {},
): Promise<Import> {
  const draft = anEventImport(changes)
  await upload(portal, member, draft.filePath, content)
  const reply = await member.post('/contact-service/v1/imports', draft)
  if (reply.status !== 201) throw new Error(`import refused: ${JSON.stringify(reply.body)}`)
  return reply.json<Import>()
}

export type Contact = Record<string, unknown> & { _id: string }

/** Returns all contacts of the account, oldest first. */
export async function contactsOf(member: Member): Promise<Contact[]> {
  const reply: Answer = await member.get(`/contact-service/v1/offers?limit=1000`)
  return reply.json<Contact[]>()
}
