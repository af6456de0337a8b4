import type { reportPlaceholders } from '@portico/contract/scheduler/instructions'
import { type DeliveredFile, fillHtml, fillText, type PreparedEmail } from '#delivery'
import type { ReportSettings } from './tables.ts'

type Values = Record<(typeof reportPlaceholders)[number], string>

/** The email about a finished report; null if none is wanted. `url` leads to the downloads, which require sign-in. */
export function reportEmail(
  { name, settings }: { name: string; settings: Pick<ReportSettings, 'email'> },
  file: Pick<DeliveredFile, 'sizeBytes'>,
  url: string,
): Omit<PreparedEmail, 'type'> | null {
  const { email } = settings
  if (!email || email.from === '') return null
  const values: Values = { reportName: name, dueDate: email.dueText, url }
  const text = email.bodyText.trim() === '' ? `${name} is ready: {{url}}` : email.bodyText
  const isSmall = file.sizeBytes <= mostAttachedBytes
  const note = email.attachFiles && !isSmall ? 'The file is too large to be attached. You find it in Downloads.' : ''
  return {
    to: email.to,
    from: { name: email.fromName, address: email.from },
    subject: fillText(email.subject, values),
    html: fillHtml(email.bodyHtml, values) + (note && `<p>${note}</p>`),
    text: fillText(text, values) + (note && `\n\n${note}\n`),
    attaches: email.attachFiles && isSmall,
  }
}

/** Larger files are not attached. */
const mostAttachedBytes = 10_000_000
