import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs.ts'
import { deviceInWords } from '../sessions/device.ts'
import { noticeLetter, type Notice } from './emails.ts'
import { sendNoticeJob } from './security-emails.jobs.ts'
import { deliver, type LetterDeps } from '../person-links/person-links.service.ts'
import { selectPersonById } from '#persons'

/** Tells a person by mail what was done in their name, as part of the transaction that does it. */
export async function enqueueNotice(
  tx: Db,
  jobs: Jobs,
  { personId, notice, from }: { personId: string; notice: Notice; from: { address: string; device: string } },
): Promise<void> {
  const device = deviceInWords(from.device)
  await jobs.enqueue(tx, sendNoticeJob, {
    personId,
    notice,
    at: new Date().toISOString(),
    address: from.address,
    device,
  })
}

/** Run again after a crash it sends the same message again. */
export async function sendNotice(
  deps: LetterDeps,
  { personId, ...notice }: { personId: string; notice: Notice; at: string; address: string; device: string },
): Promise<void> {
  const person = await selectPersonById(deps.database.db, personId)
  if (person) await deliver(deps, noticeLetter(person.email, deps.config, notice))
}
