import { senderLinkDays } from '@portico/contract/senders'
import type { Config } from '#platform/config.ts'
import { renderEmail } from '#platform/email-body.ts'
import type { Message } from '#platform/mail.ts'

/** The email to an address that an account wants to send from. */
export function senderEmail(
  { company, product, publicUrl }: Pick<Config, 'company' | 'product' | 'publicUrl'>,
  { address, account, by }: { address: string; account: string; by: string },
  secret: string,
): Message {
  const body = renderEmail({
    paragraphs: [
      `An account on ${product} asks to send emails from ${address}.`,
      'If you agree, open the link and confirm:',
    ],
    quoted: [
      { label: 'Account', text: account },
      { label: 'Requested by', text: by },
    ],
    link: { label: 'Review the request', url: `${publicUrl}/confirm-sender#link=${secret}` },
    closing: [
      `This link works once and expires in ${senderLinkDays} days. If you did not expect this email, ignore it: without your confirmation nothing is sent from your address.`,
    ],
    sender: company,
  })
  return { to: address, subject: `Confirm ${address} as a sender on ${product}`, ...body }
}
