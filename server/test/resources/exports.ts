import type { Export, NewExport } from '@portico/contract/exports'
import { expect } from 'vitest'
import type { Member, TestPortal } from '#test/kit/portal.ts'

export const exportsPath = '/contact-service/v1/exports'

export type Download = { text: string; bytes: Buffer; disposition: unknown; type: unknown }

let names = 0

/** Returns a valid export of these fields, with a unique name and without a byte order mark. */
export function exportDraft(exportFields: string[], more: Partial<NewExport> = {}): NewExport {
  return { name: `Export ${++names}`, delimiter: 'csv', byteOrderMark: false, exportFields, ...more }
}

export async function createExport(by: Member, draft: NewExport): Promise<Export> {
  const answer = await by.post(exportsPath, draft)
  expect(answer).toMatchObject({ status: 201 })
  return answer.json<Export>()
}

/** Reads an export. */
export async function readExport(by: Member, id: string): Promise<Export> {
  return (await by.get(`${exportsPath}/${id}`)).json<Export>()
}

/** Waits until an export has ended, and returns it. */
export async function endedExport(by: Member, id: string, timeout = 40_000): Promise<Export> {
  const status = async () => (await readExport(by, id)).status
  await expect.poll(status, { timeout, interval: 50 }).toMatch(/completed|rejected/)
  return readExport(by, id)
}

/** Downloads a finished file by its link. `file` is the id with the file extension. */
export async function downloadExport(portal: TestPortal, by: Member, file: string): Promise<Download> {
  const { url } = (await by.get(`/contact-service/v1/downloads/${file}`)).json<{ url: string }>()
  const reply = await portal.app.inject({ url })
  expect(reply.statusCode).toBe(200)
  const { body: text, rawPayload: bytes, headers } = reply
  return { text, bytes, disposition: headers['content-disposition'], type: headers['content-type'] }
}
