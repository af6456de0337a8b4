import type { ImportReview, ReviewOutcome } from '@portico/contract/import-review'
import type { NewImport } from '@portico/contract/imports'
import { vi } from 'vitest'
import { anImport, importFile, upload, withPurl } from './imports.ts'
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

/** How the files of `memberToReview` are imported, and by default those of `outcomeOf`. */
export const reviewSettings: Partial<NewImport> = { ...withPurl, typeCasting: true }

/** The file of the contacts of `memberToReview`. */
export const threeContacts = 'First,Last,Email,Score\nAda,King,a@x,1\nBob,Ray,b@x,2\nCy,Lee,c@x,3\n'

/** Creates a member of a new account with three contacts. The portal's worker must be running. */
export async function memberToReview(portal: TestPortal): Promise<Member> {
  const member = await portal.member(await portal.account())
  await importFile(portal, member, threeContacts, reviewSettings)
  return member
}

/** Reviews a file, and returns what it reports; fails for a review that is rejected. */
export async function outcomeOf(
  portal: TestPortal,
  member: Member,
  content: string,
  changes = reviewSettings,
): Promise<ReviewOutcome> {
  const { status, recoveryError, outcome } = await reviewFile(portal, member, content, changes)
  if (status !== 'completed' || recoveryError !== null || !outcome)
    throw new Error(`the review is ${status}: ${recoveryError}`)
  return outcome
}
