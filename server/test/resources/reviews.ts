import type { ImportReview } from '@portico/contract/import-review'
import type { NewImport } from '@portico/contract/imports'
import { vi } from 'vitest'
import { anImport, upload } from './imports.ts'
import type { Member, TestPortal } from '#test/kit/portal.ts'

export const reviewsPath = '/contact-service/v1/import-reviews'

/** Uploads a file and requests its review. */
export async function askForReview(
  portal: TestPortal,
  member: Member,
  content: string,
  changes: Partial<NewImport> = {},
): Promise<ImportReview> {
  const draft = anImport(changes)
  await upload(portal, member, draft.filePath, content)
  const reply = await member.post(reviewsPath, draft)
  if (reply.status !== 201) throw new Error(`review refused: ${JSON.stringify(reply.body)}`)
  return reply.json<ImportReview>()
}

/** Waits until a review has ended, and returns it. */
async function endedReview(member: Member, id: string): Promise<ImportReview> {
  return vi.waitUntil(
    async () => {
      const now = (await member.get(`${reviewsPath}/${id}`)).json<ImportReview>()
      return now.status === 'completed' || now.status === 'rejected' ? now : null
    },
    { interval: 20, timeout: 50_000 },
  )
}

/** Uploads a file, and waits for its review. The portal's worker must be running. */
export async function reviewFile(
  portal: TestPortal,
  member: Member,
  content: string,
  changes: Partial<NewImport> = {},
): Promise<ImportReview> {
  return endedReview(member, (await askForReview(portal, member, content, changes))._id)
}
