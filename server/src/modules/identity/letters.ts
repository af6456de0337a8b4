import type { Message } from '#platform/mail.ts'
import { type EmailBody, renderEmail } from '#platform/email-body.ts'
import type { notices } from './notices.jobs.ts'

/** What letters call this installation, and where their links lead. */
export type Installation = { company: string; product: string; publicUrl: string }

type Content = Omit<EmailBody, 'sender'> & { subject: string }

export type Notice = (typeof notices)[number]

/** Where people are invited to: the account's name, or null for all accounts. `by`: an e-mail, or null. */
type Place = { account: string | null; by: string | null }

function letterTo(to: string, { company }: Installation, { subject, ...content }: Content): Message {
  return { to, subject, ...renderEmail({ ...content, sender: company }) }
}

export function invitationLetter(
  to: string,
  installation: Installation,
  { account, by }: Place,
  secret: string,
): Message {
  const { product, publicUrl } = installation
  return letterTo(to, installation, {
    subject: `You are invited to ${product}`,
    paragraphs: [
      `${by ? `${by} invites you` : 'You are invited'} to ${product}, to work in ${placeOf(account)}.`,
      'Choose a password to begin:',
    ],
    link: { label: 'Accept the invitation', url: `${publicUrl}/register?invitation=${secret}` },
    closing: ['The link works once, within 7 days. If you do not know what this is about, you need not do anything.'],
  })
}

/** For somebody who has a password already. */
export function newAccountLetter(to: string, installation: Installation, { account, by }: Place): Message {
  const { product, publicUrl } = installation
  const place = placeOf(account)
  return letterTo(to, installation, {
    subject: `You can now work in ${place}`,
    paragraphs: [
      by ? `${by} has given you access to ${place} on ${product}.` : `You have access to ${place} on ${product} now.`,
      'Sign in as you always do.',
    ],
    link: { label: `Open ${product}`, url: publicUrl },
  })
}

export function passwordLetter(to: string, installation: Installation, address: string, secret: string): Message {
  const { product, publicUrl } = installation
  return letterTo(to, installation, {
    subject: `A new password for ${product}`,
    paragraphs: [`Somebody, most likely you, has asked for a new password for ${to} on ${product}, from ${address}.`],
    link: { label: 'Choose a new password', url: `${publicUrl}/reset-password?link=${secret}` },
    closing: [
      'The link works once, within an hour. If it was not you, you need not do anything: your password stays as it is.',
    ],
  })
}

export function noticeLetter(
  to: string,
  installation: Installation,
  { notice, at, address, device }: { notice: Notice; at: string; address: string; device: string },
): Message {
  const { product, publicUrl } = installation
  const { subject, happened } = wording(notice, product)
  const when = `${at.slice(0, 16).replace('T', ' ')} UTC`
  return letterTo(to, installation, {
    subject,
    paragraphs: [
      `${happened} (${[when, address, device].filter(Boolean).join(', ')}).`,
      'If it was you, you need not do anything. If it was not, choose a new password at once, and tell your admin:',
    ],
    link: { label: 'Choose a new password', url: `${publicUrl}/forgot-password` },
  })
}

function wording(notice: Notice, product: string): { subject: string; happened: string } {
  switch (notice) {
    case 'password changed':
      return { subject: `Your password for ${product} was changed`, happened: 'Your password was changed' }
    case 'two-factor turned on':
      return { subject: `Two-factor was turned on for ${product}`, happened: 'Signing in asks for a code from now on' }
    case 'two-factor turned off':
      return { subject: `Two-factor was turned off for ${product}`, happened: 'Signing in no longer asks for a code' }
    case 'recovery codes renewed':
      return {
        subject: `New recovery codes for ${product}`,
        happened: 'New recovery codes have replaced those you had',
      }
    case 'recovery code used':
      return { subject: `A recovery code was used for ${product}`, happened: 'One of your recovery codes was used' }
    case 'signed in on a new device':
      return { subject: `New sign-in to ${product}`, happened: 'You were signed in on a device not seen before' }
  }
}

function placeOf(account: string | null): string {
  return account === null ? 'all accounts' : `the account ${account}`
}
