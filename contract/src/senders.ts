import { z } from 'zod'
import { domainOfKey, emailKey, readEmailAddress } from './email-address.ts'
import { personalKey } from './email-schemas.ts'
import { Instant } from './jobs.ts'
import { messages } from './messages.ts'
import type { Route } from './route.ts'

/** Maximum senders of an account. */
export const maxSenders = 50

/** Days until the link in the email to a sender expires. */
export const senderLinkDays = 7

/** Message at the field of a sender that the account may not use. */
export const unverifiedSender = (address: string): string =>
  `${address} is not a verified sender. A power user can verify it in Preferences.`

/** Message at the name of a sender. */
export const nameWithAddress = 'A name cannot contain an email address.'

/** Senders are identified by their keys. */
const Address = personalKey(messages.invalidEmail)

/** A sender address for the account's emails, once its owner has confirmed it. */
export const Sender = z.object({
  _id: z.string(),
  address: z.string(),
  state: z.enum(['waiting', 'verified']),
  requestedBy: z.string(),
  requestedAt: Instant,
  verifiedAt: Instant.nullable(),
})
export type Sender = z.output<typeof Sender>

/** All addresses that an account may send from. */
export const Senders = z.object({
  senders: z.array(Sender),
  /** Domains of which every address is a verified sender, from the operator's settings. */
  domains: z.array(z.string()),
  /** The portal's own address. */
  ownAddress: z.string(),
})
export type Senders = z.output<typeof Senders>

/** Returns whether a text is an address that could be a sender, such as the portal's own `no-reply@localhost`. */
export const isSenderAddress = (text: string): boolean => 'key' in readEmailAddress(text)

/** Returns whether the account may send from an address. */
export function isVerifiedSender(address: string, { senders, domains, ownAddress }: Senders): boolean {
  const key = emailKey(address)
  if (key === null) return false
  return (
    key === emailKey(ownAddress) ||
    domains.includes(domainOfKey(key)) ||
    senders.some((sender) => sender.state === 'verified' && sender.address === key)
  )
}

const path = '/contact-service/v1/senders'
const SenderLink = z.strictObject({ link: z.string().min(20).max(200) })

export const sendersApi = {
  listSenders: {
    method: 'GET',
    path,
    summary: 'List the addresses that emails of the account can come from',
    access: 'account',
    reply: Senders,
  },
  /** Repeating the request for an unconfirmed address sends another email, whose link replaces the earlier one. */
  requestSender: {
    method: 'POST',
    path,
    summary: 'Email a link to an address; who opens it confirms the address as a sender of the account',
    access: 'administrator',
    action: 'contact-service::senders::post',
    stores: { what: 'work', does: 'request senders of emails' },
    body: z.strictObject({ address: Address }),
    reply: Sender,
    status: 202,
    errors: ['limit_reached', 'name_taken', 'too_many_requests'],
  },
  removeSender: {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Remove a sender; notifications from its address fail from then on',
    access: 'administrator',
    action: 'contact-service::senders::delete',
    stores: false,
    params: z.object({ id: z.string() }),
    reply: z.object({}),
    errors: ['not_found'],
  },
  readSenderLink: {
    method: 'POST',
    path: '/contact-service/v1/sender-links',
    summary: 'Get the address and the account of a link that confirms a sender',
    access: 'public',
    stores: false,
    body: SenderLink,
    reply: z.object({ address: z.string(), account: z.string(), requestedBy: z.string() }),
    errors: ['link_invalid'],
  },
  confirmSender: {
    method: 'POST',
    path: '/contact-service/v1/sender-links/confirm',
    summary: 'Confirm a sender by such a link, once',
    access: 'public',
    stores: false,
    body: SenderLink,
    reply: z.object({ address: z.string(), account: z.string() }),
    errors: ['link_invalid'],
  },
} as const satisfies Record<string, Route>
