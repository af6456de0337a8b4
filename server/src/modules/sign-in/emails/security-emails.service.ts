import type { Db } from '#platform/database.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import { deviceInWords } from '../sessions/device.ts'
import { securityEmail, type SecurityEvent } from './emails.ts'
import { sendSecurityEmailJob } from './security-emails.jobs.ts'
import { deliver, type EmailDeps } from '../person-links/person-links.service.ts'
import { selectPersonById } from '#persons'

/** Enqueues a security email in the transaction of the change that it reports. */
export async function enqueueSecurityEmail(
  tx: Db,
  jobs: Jobs,
  { personId, notice, from }: { personId: string; notice: SecurityEvent; from: { address: string; device: string } },
): Promise<void> {
  const device = deviceInWords(from.device)
  await jobs.enqueue(tx, sendSecurityEmailJob, {
    personId,
    notice,
    at: new Date().toISOString(),
    address: from.address,
    device,
  })
}

/** Sends a security email. When run again after a crash, it sends the same message again. */
export async function sendSecurityEmail(
  deps: EmailDeps,
  { personId, ...notice }: { personId: string; notice: SecurityEvent; at: string; address: string; device: string },
): Promise<void> {
  const person = await selectPersonById(deps.database.db, personId)
  if (person) await deliver(deps, securityEmail(person.email, deps.config, notice))
}
