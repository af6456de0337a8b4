import { parseHost } from './hosts.ts'
import { normalizeText } from '@portico/domain/unicode'
import { repeatedPositions } from '@portico/domain/repeated'
import { withoutOuterSpace } from '@portico/domain/white-space'

/** An email address as mail goes to it, and the key under which the portal knows it. */
export type EmailAddress = {
  /** The part before the @ as typed, in Unicode's composed form (NFC), and the domain in ASCII. */
  address: string
  /** The same with ASCII letters in lower case. Two addresses with one key are one address. */
  key: string
}

/** The fix for a text that is no address; null where the text is not even like one, so that each form uses its own words. */
export type AddressProblem = { problem: string | null }

export const addressProblems = {
  invisible: (code: string) =>
    `The address contains an invisible character (${code}). Delete it, or type the address again.`,
  notAlone: 'Enter the address alone, without a name, quotes or brackets.',
  finalDot: 'Remove the dot at the end of the address.',
  notADomain: (character: string) => `Remove ${character} after the @: only a domain such as example.com can follow.`,
  ip: 'Use a domain such as example.com after the @, not an IP address.',
  domain: 'There is no such domain. Check the part after the @.',
} as const

const mostCharacters = 320
/** Most characters that are read of a text that may be an address, with blanks around it: more is none. */
export const mostTyped = 1000
const mostInDomain = 253
const mostInLabel = 63

// Format characters include those that turn the direction of text. U+2800 is a blank braille pattern.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
const everyInvisible = new RegExp(invisible, 'gu')
const urlSyntax = /[/?#:\\%|^]/
const word = String.raw`[\w!#$%&'*+/=?^\x60{|}~\p{L}\p{M}\p{N}-]+`
const localPart = new RegExp(String.raw`^(?!\p{M})${word}(?:\.${word})*$`, 'u')
// The three other characters are full stops too, for UTS 46.
const domainCharacters = /^[\p{L}\p{M}\p{N}_.\u3002\uFF0E\uFF61-]+$/u
const label = /^[a-z\d_](?:[a-z\d_-]*[a-z\d_])?$/

/**
 * Reads an email address: the only function of the portal that decides which addresses are the same. It folds nothing that
 * mail servers may tell apart: letters that are not ASCII stay as they are before the @; the domain goes through UTS 46, as
 * in browsers, so that it is exactly the one that mail is sent to. Browser and server give the same result, but only the
 * server's is stored; databases compute none.
 */
export function readEmailAddress(text: string): EmailAddress | AddressProblem {
  const trimmed = withoutOuterSpace(text)
  if (trimmed.length > mostTyped) return { problem: null }
  const hidden = invisible.exec(trimmed)?.[0]
  if (hidden !== undefined) return { problem: addressProblems.invisible(codeOf(hidden)) }
  if (/[<>"()[\]]/.test(trimmed)) return { problem: addressProblems.notAlone }
  const [before = '', after, ...more] = trimmed.split('@')
  if (after === undefined || more.length > 0) return { problem: null }
  const local = normalizeText(before, 'NFC')
  if (!localPart.test(local)) return { problem: null }
  const domain = readDomain(after)
  if ('problem' in domain) return domain
  const address = `${local}@${domain.ascii}`
  if (address.length > mostCharacters) return { problem: null }
  return { address, key: `${normalizeText(lowerAscii(local), 'NFC')}@${domain.ascii}` }
}

/** Like `readEmailAddress`, for people: their domains have a dot, unlike the `localhost` of a portal's own address. */
export function readPersonalAddress(text: string): EmailAddress | AddressProblem {
  const read = readEmailAddress(text)
  return 'key' in read && !read.key.includes('.', read.key.indexOf('@')) ? { problem: null } : read
}

/** The domain of an address in ASCII. */
function readDomain(text: string): { ascii: string } | AddressProblem {
  const [foreign] = urlSyntax.exec(text) ?? []
  if (foreign !== undefined) return { problem: addressProblems.notADomain(foreign) }
  if (!domainCharacters.test(text)) return { problem: null }
  const dotted = text.replaceAll(/[\u3002\uFF0E\uFF61]/g, '.')
  if (dotted.endsWith('.')) return { problem: dotted === '.' ? null : addressProblems.finalDot }
  const ascii = parseHost(dotted)
  if (ascii === null) return { problem: addressProblems.domain }
  if (/^\d+(?:\.\d+){3}$/.test(ascii)) return { problem: addressProblems.ip }
  const isDomain =
    ascii.length <= mostInDomain && ascii.split('.').every((part) => part.length <= mostInLabel && label.test(part))
  return isDomain ? { ascii } : { problem: null }
}

// Other letters have other lower cases in other programs and languages.
const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** The key of an address; null for other texts. */
export function emailKey(text: string): string | null {
  const read = readEmailAddress(text)
  return 'key' in read ? read.key : null
}

/**
 * The key of a caller by the text that names them in lists and logs: an address, or the name of a service identity or of a
 * part of the portal, which is compared as it is.
 */
export const callerKey = (name: string): string => emailKey(name) ?? name

/** Whether two texts name the same caller. */
export const isSameCaller = (one: string, other: string): boolean => callerKey(one) === callerKey(other)

/** The domain of a key. */
export const domainOfKey = (key: string): string => key.slice(key.indexOf('@') + 1)

/** The domain of a text in ASCII, as keys have it; null for what is no domain of addresses. */
export function domainKey(text: string): string | null {
  const read = readDomain(withoutOuterSpace(text))
  return 'ascii' in read ? read.ascii : null
}

/**
 * Reads the items of a list. `problems` has a message for each that is no address: `inWords`, or the item with how to mend
 * it.
 */
export function readAddressList(
  items: readonly string[],
  inWords: (item: string) => string,
): { addresses: string[]; problems: string[] } {
  const read = items.map((item) => ({ item: withoutOuterSpace(item), ...readPersonalAddress(item) }))
  return {
    addresses: withoutRepeated(read.flatMap((one) => ('key' in one ? [one.address] : []))),
    problems: read.flatMap((one) => {
      if ('key' in one) return []
      return [
        one.problem === null ? inWords(one.item) : `${one.item.replaceAll(everyInvisible, '\uFFFD')}: ${one.problem}`,
      ]
    }),
  }
}

/** The addresses without those that are in the list before. Texts that are no addresses stay. */
export function withoutRepeated(addresses: readonly string[]): string[] {
  const repeated = new Set(repeatedAddresses(addresses))
  return addresses.filter((_address, index) => !repeated.has(index))
}

/** Positions of the addresses that are in the list before. */
export function repeatedAddresses(addresses: readonly string[]): number[] {
  return repeatedPositions(addresses.map(callerKey))
}
