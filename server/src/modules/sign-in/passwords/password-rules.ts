import { passwordLength } from '@portico/contract/own-account'
import { type PasswordOwner, passwordProblem, type PortalNames } from '@portico/contract/password-rules'
import { invalidField } from '#platform/app-error.ts'

let commonPasswords: Promise<Set<string>> | undefined

/**
 * Throws `invalid_input` for `field` with the reason, unless the password follows the rules of `passwordProblem` and is
 * neither a common one nor a simple variation of one.
 */
export async function requireGoodPassword(
  field: string,
  password: string,
  owner: PasswordOwner,
  portal: PortalNames,
): Promise<void> {
  const { min } = passwordLength
  if (password.length >= min && (await isCommon(password))) {
    throw invalidField(field, 'This is one of the most common passwords. Choose another one.')
  }
  const problem = passwordProblem(password, owner, portal)
  if (problem !== null) throw invalidField(field, problem)
}

async function isCommon(password: string): Promise<boolean> {
  commonPasswords ??= loadCommonPasswords()
  const common = await commonPasswords
  return simplerForms(password.normalize('NFKC').toLowerCase()).some((form) => common.has(withoutLeet(form)))
}

// A word with more around it than a year and a sign is no simple variation of the word.
const mostAdded = 6

/** The password, and what is left of it without the few digits and signs at its end, and also at its start. */
function simplerForms(password: string): string[] {
  const withoutEnd = password.replace(/[^\p{L}]+$/u, '')
  const bare = withoutEnd.replace(/^[^\p{L}]+/u, '')
  return [password, withoutEnd, bare].filter((form) => form !== '' && password.length - form.length <= mostAdded)
}

const letters: Record<string, string> = {
  '0': 'o',
  '1': 'l',
  '!': 'l',
  i: 'l',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
}

/** Signs and digits that stand for letters become these; `i` and `l` share `1` and `!`, so they count as one letter. */
const withoutLeet = (text: string): string => text.replaceAll(/[01!i34@5$7]/g, (sign) => letters[sign] ?? sign)

/** All passwords of the list. Loaded on first use: most processes never need it, and it takes megabytes. */
async function loadCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map((password) => withoutLeet(password.toLowerCase())))
}
