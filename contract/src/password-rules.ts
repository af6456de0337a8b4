import { z } from 'zod'
import { messages } from './messages.ts'
import { passwordLength } from './own-account.ts'

/** The person for whom a password is chosen. */
export type PasswordOwner = { email: string; userName: string | null }
/** Names of the company and the product, from the deployment settings. */
export type PortalNames = { company: string; product: string }

// Shorter names occur in many good passwords by chance.
const shortestName = 4

/**
 * Returns the reason why a password is refused, or null: its length is out of bounds, it contains its owner's email or
 * name, or it consists only of the company's and the product's name, even repeated or with digits or signs. Letter case
 * and spaces do not count. The server also refuses common passwords.
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
  return isOnlyOf(folded, [company, product]) ? 'Your password must be more than the name of this portal.' : null
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

/** True for "!portico2026" and "portico-portico", which consist only of "portico". */
function isOnlyOf(folded: string, names: readonly string[]): boolean {
  // The longer name first, as it may contain the other.
  const parts = names
    .map(fold)
    .filter((name) => name !== '')
    .toSorted((one, other) => other.length - one.length)
  const rest = parts.reduce((left, name) => left.replaceAll(name, ''), folded)
  return rest !== folded && !/\p{L}/u.test(rest)
}
