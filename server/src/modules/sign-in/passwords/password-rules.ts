import { normalizeText } from '@portico/domain/unicode'
import { passwordLength } from '@portico/contract/own-account'
import { type PasswordOwner, passwordProblem, type PortalNames } from '@portico/contract/password-rules'
import { invalidField } from '#platform/app-error.ts'
import { latinLook } from '#platform/texts/look-alikes.ts'

/**
 * Ranks of common passwords, from 1. Passwords that differ only in what `fold` and `withoutLeet` change share the
 * lowest rank.
 */
type Ranks = ReadonlyMap<string, number>

let commonPasswords: Promise<Ranks> | undefined

/**
 * Throws `invalid_input` for `field` with the reason, unless the password follows the rules of `passwordProblem` and is
 * neither a common password nor a simple variation of one.
 */
export async function requireGoodPassword(
  field: string,
  password: string,
  owner: PasswordOwner,
  portal: PortalNames,
): Promise<void> {
  const { min, max } = passwordLength
  if (password.length >= min && password.length <= max && (await isCommon(password))) {
    throw invalidField(field, 'This is one of the most common passwords. Choose another one.')
  }
  const problem = passwordProblem(password, owner, portal)
  if (problem !== null) throw invalidField(field, problem)
}

async function isCommon(password: string): Promise<boolean> {
  commonPasswords ??= loadCommonPasswords()
  const ranks = await commonPasswords
  const isRanked = (text: string) => ranks.has(withoutLeet(text))
  return plainForms(password).some(
    (form) =>
      isShortRepeated(form) ||
      simplerForms(form, isRanked).some(
        (simpler) =>
          isRanked(simpler) || isRanked(Array.from(simpler).toReversed().join('')) || isCommonPair(ranks, simpler),
      ),
  )
}

/**
 * Whether the text is two ranked passwords, such as `footballmonkey`, that take no more guesses than the last one of
 * the list: attackers who try pairs begin with the most common ones.
 */
function isCommonPair(ranks: Ranks, text: string): boolean {
  const plain = withoutLeet(text)
  for (let cut = 1; cut < plain.length; cut++) {
    const [first, second] = [ranks.get(plain.slice(0, cut)), ranks.get(plain.slice(cut))]
    if (first && second && first * second <= ranks.size) return true
  }
  return false
}

/**
 * Removes letter case, accents, spaces and invisible characters; replaces Cyrillic and Greek letters that look Latin.
 */
const fold = (text: string): string => latinLook(normalizeText(text, 'NFKD').replaceAll(/[\p{M}\p{Z}]/gu, ''))

/** The folded password, and the same without its signs, such as those between letters, if they are of few kinds. */
function plainForms(password: string): string[] {
  const plain = fold(password)
  const signs = plain.replaceAll(/[\p{L}\p{N}]/gu, '')
  const isOneHabit = new Set(signs).size <= mostSigns
  return isOneHabit ? [plain, plain.replaceAll(/[^\p{L}\p{N}]/gu, '')] : [plain]
}

// Random passwords have more kinds of signs, and so few letters that the remaining text would be common by chance.
const mostSigns = 2

// A word with more added than a year and a sign is not a simple variation, unless the addition is as common.
const mostAdded = 6

/**
 * The text, and what remains of it without a few digits and signs at either end, or a ranked number at its end. Of a
 * repeated text, also the repeated part.
 */
function simplerForms(text: string, isRanked: (text: string) => boolean): string[] {
  const forms = new Set<string>()
  const start = Math.min(/^[^\p{L}]*/u.exec(text)?.[0].length ?? 0, mostAdded)
  // At most `mostAdded` characters, since the pattern is tried at each position.
  const end = Math.min(/[^\p{L}]{0,6}$/u.exec(text)?.[0].length ?? 0, mostAdded)
  for (let before = 0; before <= start; before++) {
    for (let after = 0; after <= end && before + after <= mostAdded; after++) {
      forms.add(text.slice(before, text.length - after))
    }
  }
  const [, word = '', number = ''] = /^(.*\p{L})(\d+)$/u.exec(text) ?? []
  if (isRanked(number)) forms.add(word)
  return [...forms].flatMap((form) => [form, repeatedPart(form)]).filter((form) => form !== '')
}

/** The part that the text repeats, or the whole text if it repeats none. */
const repeatedPart = (text: string): string => text.slice(0, `${text}${text}`.indexOf(text, 1))

// Repetitions of longer parts are only as common as the parts themselves.
const shortPart = 3

function isShortRepeated(text: string): boolean {
  const part = repeatedPart(text)
  return part.length <= shortPart && part.length < text.length
}

const letters: Record<string, string> = {
  '0': 'o',
  '1': 'l',
  '!': 'l',
  '|': 'l',
  i: 'l',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
  '+': 't',
  '8': 'b',
  '9': 'g',
}

/** Replaces signs and digits that stand for letters; `i` and `l` share `1` and `!`, so they count as one letter. */
const withoutLeet = (text: string): string => text.replaceAll(/[01!|i234@5$7+89]/g, (sign) => letters[sign] ?? sign)

/** All passwords of the list. Loaded on first use: it takes megabytes, and most processes never need it. */
async function loadCommonPasswords(): Promise<Ranks> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const ranks = new Map<string, number>()
  for (const [at, password] of dictionary['passwords-common'].entries()) {
    const plain = withoutLeet(fold(password))
    if (!ranks.has(plain)) ranks.set(plain, at + 1)
  }
  return ranks
}
