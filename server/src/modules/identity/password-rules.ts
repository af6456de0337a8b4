import { passwordLength } from '@portico/contract/own-account'
import { type PasswordOwner, passwordProblem, type PortalNames } from '@portico/contract/password-rules'
import { invalidField } from '#platform/app-error.ts'

const commonest = 10_000

let commonPasswords: Promise<Set<string>> | undefined

/**
 * Throws `invalid_input` for `field` with the reason, unless the password follows the rules of `passwordProblem` and is
 * not among the 10,000 most common ones.
 */
export async function requireGoodPassword(
  field: string,
  password: string,
  owner: PasswordOwner,
  portal: PortalNames,
): Promise<void> {
  const { min } = passwordLength
  commonPasswords ??= loadCommonPasswords()
  if (password.length >= min && (await commonPasswords).has(password.toLowerCase())) {
    throw invalidField(field, 'This is one of the most common passwords. Choose another one.')
  }
  const problem = passwordProblem(password, owner, portal)
  if (problem !== null) throw invalidField(field, problem)
}

/** Loaded on first use: most processes never need the list, which takes a megabyte. */
async function loadCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const ranked = dictionary['passwords-common'].slice(0, commonest)
  return new Set(ranked.filter(({ length }) => length >= passwordLength.min).map((password) => password.toLowerCase()))
}
