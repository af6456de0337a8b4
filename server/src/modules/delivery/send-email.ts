import type { EmailNotification } from '@portico/contract/notifications'
import type { z } from 'zod'
import type { Attachment, Mail } from '#platform/mail.ts'
import type { PreparedEmail } from './delivery-secrets.ts'
import { fillHtml, fillText, type PlaceholderValues } from './placeholders.ts'

const plainText = '{{name}} is ready: {{records}} records, {{size}}.\n\n{{url}}\n\nThe link expires on {{expires}}.\n'

/** Sends a notification by email. `id` is the same for every attempt, so that mail programs recognize duplicates. */
export async function sendEmail(
  mail: Mail,
  id: string,
  settings: z.output<typeof EmailNotification>,
  values: PlaceholderValues,
): Promise<string> {
  const { refused } = await mail.send({
    id,
    from: { name: settings.fromName, address: settings.from },
    to: settings.to.split(',').map((address) => address.trim()),
    subject: fillText(settings.subject, values),
    html: fillHtml(settings.htmlBody, values),
    text: fillText(settings.textBody.trim() === '' ? plainText : settings.textBody, values),
  })
  return sentTo(settings.to.split(',').length, refused)
}

export async function sendPreparedEmail(
  mail: Mail,
  id: string,
  email: PreparedEmail,
  attachment: Attachment | null,
): Promise<string> {
  const { to, subject, text, html, from } = email
  const { refused } = await mail.send({
    id,
    to,
    subject,
    text,
    html,
    ...(from && { from }),
    ...(attachment && { attachment }),
  })
  return sentTo(email.to.length, refused)
}

function sentTo(count: number, refused: string[]): string {
  const sent = count - refused.length
  const accepted = `Accepted by the mail server for ${sent} ${sent === 1 ? 'address' : 'addresses'}.`
  return refused.length === 0 ? accepted : `${accepted} Rejected: ${refused.join(', ')}.`
}
