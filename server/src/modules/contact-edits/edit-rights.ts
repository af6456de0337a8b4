import { contactEditsApi } from '@portico/contract/contact-edits'
import type { ContactValue } from '#contacts'
import { AppError } from '#platform/app-error.ts'
import type { Refusal } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'
import type { Mender } from './mending.ts'

export type Changes = Record<string, { from: ContactValue; to: ContactValue }>

/**
 * The caller as the editor of a contact: with the contacts of those of their identities that may make these changes. The
 * rows of another request, such as that of a merge, may be those of an identity that may not.
 * @throws not_allowed if no identity may make them
 */
export function asEditor<Asking extends Pick<Mender, 'caller' | 'rows'>>(
  asking: Asking,
  id: string,
  changes: Changes,
): Asking {
  const { editOffer } = contactEditsApi
  const request = judgedParts(editOffer, { params: { id }, query: {}, body: { changes } })
  allow(asking.caller.refusal(editOffer, request))
  return { ...asking, rows: asking.caller.rows(editOffer, request) }
}

/** @throws the refusal, if there is one */
export function allow(refusal: Refusal | null): void {
  if (refusal) throw new AppError(refusal.code, refusal.details, refusal.message)
}
