import type { AuditEntry, RepeatedEntries } from '#audit'
import { emailKey } from '@portico/contract/email-address'
import { AppError } from '#platform/app-error.ts'
import { deviceInWords } from './sessions/device.ts'
import type { Origin } from './sign-in-deps.ts'

type Facts = Pick<AuditEntry, 'actor' | 'subject' | 'address' | 'via' | 'details'>

/** The facts about a sign-in or sign-out for the audit log: the person's address, and their device in words. */
export function signInFacts(email: string, { address, device, caller }: Origin): Facts {
  const via = caller?.via ?? { kind: 'sign-in' as const }
  return { actor: email, subject: email, address, via, details: { device: deviceInWords(device) } }
}

/**
 * Runs an attempt to sign in, and records a failure with its reason. `whose` is read afterwards: the email, as far as it
 * is known then. Unknown emails are recorded like known ones. A text that does not look like an email is not recorded,
 * since people type passwords into the wrong field.
 */
export async function recordingFailure<T>(
  { repeated }: { repeated: RepeatedEntries },
  whose: () => string,
  from: Origin,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof AppError) {
      const { details, ...facts } = signInFacts(emailOrNothing(whose()), { ...from, caller: null })
      repeated.add({
        ...facts,
        account: null,
        action: 'sign-in failed',
        details: { ...details, reason: error.message },
      })
    }
    throw error
  }
}

const emailOrNothing = (text: string): string => emailKey(text) ?? '(not an email)'
