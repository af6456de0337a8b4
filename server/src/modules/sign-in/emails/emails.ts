import type { Message } from '#platform/mail.ts'
import { type EmailBody, renderEmail } from '#platform/email-body.ts'
import type { securityEvents } from './security-emails.jobs.ts'

/** Names of this installation in emails, and the base of their links. */
export type Installation = { company: string; product: string; publicUrl: string }

type Content = Omit<EmailBody, 'sender'> & { subject: string }

export type SecurityEvent = (typeof securityEvents)[number]

/** The account's name, or null for all accounts. `by`: the inviter in words (`inviterOf`), or null. */
type Place = { account: string | null; by: string | null }

function emailTo(to: string, { company }: Installation, { subject, ...content }: Content): Message {
  return { to, subject, ...renderEmail({ ...content, sender: company }) }
}

export function invitationEmail(
  to: string,
  installation: Installation,
  { account, by }: Place,
  secret: string,
): Message {
  const { product, publicUrl } = installation
  return emailTo(to, installation, {
    subject: `You are invited to ${product}`,
    paragraphs: [
      `You have been invited to work in ${placeOf(account)} on ${product}.`,
      'Choose a password to get started:',
    ],
    quoted: quotedOf({ account, by }),
    link: { label: 'Accept invitation', url: `${publicUrl}/register#invitation=${secret}` },
    closing: ['This link works once and expires in 7 days. If you did not expect this email, you can ignore it.'],
  })
}

/** For a person who already has a password. */
export function accountInvitationEmail(to: string, installation: Installation, { account, by }: Place): Message {
  const { product, publicUrl } = installation
  const place = placeOf(account)
  return emailTo(to, installation, {
    subject: `You are invited to ${place} on ${product}`,
    paragraphs: [
      `You have been invited to work in ${place} on ${product}.`,
      'Sign in as usual to accept or decline. Until you accept, nothing changes for you.',
    ],
    quoted: quotedOf({ account, by }),
    link: { label: `Open ${product}`, url: publicUrl },
    closing: ['If you did not expect this email, you can ignore it.'],
  })
}

export function passwordEmail(to: string, installation: Installation, address: string, secret: string): Message {
  const { product, publicUrl } = installation
  return emailTo(to, installation, {
    subject: `Reset your password for ${product}`,
    paragraphs: [`We received a request from ${address} to reset the password of ${to} on ${product}.`],
    link: { label: 'Choose a new password', url: `${publicUrl}/reset-password#link=${secret}` },
    closing: [
      'This link works once and expires in an hour. A new password also removes your passkeys. If you did not request it, ignore this email: your password stays the same.',
    ],
  })
}

export function securityEmail(
  to: string,
  installation: Installation,
  { notice, at, address, device }: { notice: SecurityEvent; at: string; address: string; device: string },
): Message {
  const { product, publicUrl } = installation
  const { subject, happened, ifNot = 'choose a new password now and contact your admin' } = wordings[notice]
  const when = `${at.slice(0, 16).replace('T', ' ')} UTC`
  return emailTo(to, installation, {
    subject: subject(product),
    paragraphs: [
      `${happened} (${[when, address, device].filter(Boolean).join(', ')}).`,
      `If this was you, you can ignore this email. If not, ${ifNot}:`,
    ],
    link: { label: 'Choose a new password', url: `${publicUrl}/forgot-password` },
  })
}

const deleteCredential =
  'delete it under API credentials in your profile, contact your admin, and choose a new password now'

/** How an email tells of a security event. `ifNot`: advice for people who did not do it themselves. */
type Wording = { subject: (product: string) => string; happened: string; ifNot?: string }

const wordings: Record<SecurityEvent, Wording> = {
  'password changed': {
    subject: (product) => `Your password for ${product} was changed`,
    happened: 'Your password was changed',
  },
  'password reset, passkeys removed': {
    subject: (product) => `Your password for ${product} was reset`,
    happened: 'Your password was reset by email, and all your passkeys were removed; add them again in your profile',
  },
  'two-factor turned on': {
    subject: (product) => `Two-factor was turned on for ${product}`,
    happened: 'Signing in now requires a code, and your other sessions were ended',
  },
  'two-factor turned off': {
    subject: (product) => `Two-factor was turned off for ${product}`,
    happened: 'Signing in no longer requires a code',
  },
  'recovery codes renewed': {
    subject: (product) => `New recovery codes for ${product}`,
    happened: 'Your recovery codes were replaced with new ones',
  },
  'recovery code used': {
    subject: (product) => `A recovery code was used for ${product}`,
    happened: 'One of your recovery codes was used',
  },
  'passkey added': {
    subject: (product) => `A passkey was added for ${product}`,
    happened: 'A passkey was added to your sign-in, which works without your password and without a code',
    ifNot: 'choose a new password now, which removes all passkeys, and contact your admin',
  },
  'passkey removed': {
    subject: (product) => `A passkey was removed for ${product}`,
    happened: 'One of your passkeys was removed, and no longer signs in',
  },
  'passkey copied': {
    subject: (product) => `A passkey was refused for ${product}`,
    happened: 'One of your passkeys was refused, because it may exist a second time',
    ifNot: 'remove it in your profile, choose a new password now and contact your admin',
  },
  'signed in on a new device': {
    subject: (product) => `New sign-in to ${product}`,
    happened: 'You signed in on a new device',
  },
  'password guessed at': {
    subject: (product) => `Failed sign-ins with your email on ${product}`,
    happened: 'There were 100 failed attempts to sign in with your email within a day, the last one now',
  },
  'API credential created': {
    subject: (product) => `New API credential on ${product}`,
    happened: 'An API credential of yours was created, and programs can now act with your access',
    ifNot: deleteCredential,
  },
  'API credential switched on': {
    subject: (product) => `An API credential was switched on for ${product}`,
    happened: 'An API credential of yours was switched on again, and programs can now act with your access',
    ifNot: deleteCredential,
  },
  'impersonation link created': {
    subject: (product) => `New impersonation link on ${product}`,
    happened: 'A link was created with which another person can act with your access until it expires',
    // A new password ends the links of a person.
    ifNot: 'choose a new password now, which ends the link, and contact your admin',
  },
}

// A credential keeps working after a change of password.

const placeOf = (account: string | null): string => (account === null ? 'all accounts' : 'an account')

/** Names chosen by users, shown as quotations: they may be written to look like part of the email. */
const quotedOf = ({ account, by }: Place): { label: string; text: string }[] => [
  ...(account === null ? [] : [{ label: 'Account', text: account }]),
  ...(by === null ? [] : [{ label: 'Invited by', text: by }]),
]
