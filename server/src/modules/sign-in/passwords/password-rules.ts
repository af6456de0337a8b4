import { passwordLength } from '@portico/contract/own-account'
import { invalidField } from '#platform/app-error.ts'

/** What a password must not be made of. */
export type PasswordOwner = { email: string; userName: string | null }
type Names = { company: string; product: string }

const commonest = 10_000
// A name that short stands in many good passwords by chance.
const shortestHeld = 4

let commonPasswords: Promise<Set<string>> | undefined

/**
 * Throws `invalid_input` for `field` with the reason, unless the password is good: of the right length, none of the
 * 10,000 commonest, and not made of its owner's e-mail or name, nor of the company's or the product's name alone.
 * Letter case never makes a difference. What characters it has is nobody's business.
 */
export async function requireGoodPassword(
  field: string,
  password: string,
  { email, userName }: PasswordOwner,
  { company, product }: Names,
): Promise<void> {
  const { min, max } = passwordLength
  if (password.length < min) throw invalidField(field, `Use at least ${min} characters.`)
  if (password.length > max) throw invalidField(field, `Use at most ${max} characters.`)
  const folded = fold(password)
  commonPasswords ??= loadCommonPasswords()
  if ((await commonPasswords).has(password.toLowerCase())) {
    throw invalidField(field, 'This is one of the commonest passwords. Choose another one.')
  }
  const [localPart = ''] = email.split('@')
  if ([email, localPart].some((name) => isMadeOf(folded, name))) {
    throw invalidField(field, 'Choose a password that your e-mail is no part of.')
  }
  if (userName && isMadeOf(folded, userName))
    throw invalidField(field, 'Choose a password that your name is no part of.')
  const withoutEnds = withoutNumbers(folded)
  if ([company, product].some((name) => [folded, withoutEnds].includes(fold(name)))) {
    throw invalidField(field, 'Choose a password that is more than the name of this portal.')
  }
}

function isMadeOf(folded: string, name: string): boolean {
  const part = fold(name)
  return part !== '' && (folded === part || (part.length >= shortestHeld && folded.includes(part)))
}

const fold = (text: string): string => text.toLowerCase().replaceAll(/\s/g, '')

/** Without the digits and signs before and after: "!portico2026" is no more than "portico". */
const withoutNumbers = (text: string): string => text.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '')

/** Loaded when the first password is chosen: the list is a megabyte that most processes never need. */
async function loadCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const ranked = dictionary['passwords-common'].slice(0, commonest)
  return new Set(ranked.filter(({ length }) => length >= passwordLength.min).map((password) => password.toLowerCase()))
}
