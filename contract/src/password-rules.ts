import { z } from 'zod'
import { messages } from './messages.ts'
import { passwordLength } from './own-account.ts'

/** Person for whom a password is chosen. */
export type PasswordOwner = { email: string; userName: string | null }
/** Names of the company and the product, as the deployment settings have them. */
export type PortalNames = { company: string; product: string }

// Shorter names occur in many good passwords by chance.
const shortestName = 4

/**
 * Returns the reason why a password is refused, or null: its length is out of bounds, it contains its owner's email or
 * name, or is no more than the company's or the product's name with digits or signs around it. Letter case and spaces
 * do not count. The server also refuses common passwords.
 */
export function passwordProblem(
  password: string,
  { email, userName }: PasswordOwner,
  { company, product }: PortalNames,
): string | null {
  const { min, max } = passwordLength
  if (password.length < min) return `Use at least ${min} characters.`
  if (password.length > max) return `Use at most ${max} characters.`
  const folded = fold(password)
  const [localPart = ''] = email.split('@')
  if ([email, localPart].some((name) => isMadeOf(folded, name))) return 'Your password must not contain your email.'
  if (userName && isMadeOf(folded, userName)) return 'Your password must not contain your name.'
  const bare = withoutEnds(folded)
  const isPortalName = [company, product].some((name) => name !== '' && [folded, bare].includes(fold(name)))
  return isPortalName ? 'Your password must be more than the name of this portal.' : null
}

/** Schema of a new password for this owner, with the same messages. */
export const newPasswordFor = (owner: PasswordOwner, portal: PortalNames) =>
  z.string().superRefine((password, context) => {
    const message = password === '' ? messages.required : passwordProblem(password, owner, portal)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })

function isMadeOf(folded: string, name: string): boolean {
  const part = fold(name)
  return part !== '' && (folded === part || (part.length >= shortestName && folded.includes(part)))
}

const fold = (text: string): string => text.toLowerCase().replaceAll(/\s/g, '')

/** Removes digits and signs at both ends: "!portico2026" is no more than "portico". */
const withoutEnds = (text: string): string => text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
