import { parseHost } from './hosts.ts'
import { normalizeText } from '@portico/domain/unicode'
import { repeatedPositions } from '@portico/domain/repeated'
import { withoutOuterSpace } from '@portico/domain/white-space'

/** An email address as used for sending, and the key that identifies it in the portal. */
export type EmailAddress = {
  /** The part before the @ as typed, in Unicode's composed form (NFC), and the domain in ASCII. */
  address: string
  /** The same with ASCII letters in lower case. Addresses with the same key are the same address. */
  key: string
}

/**
 * The fix for a text that is not an address; null if it does not resemble one, for which each form has its own text.
 */
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
/** Maximum characters, including surrounding blanks, of a text that may be an address: longer texts are not. */
export const mostTyped = 1000
const mostInDomain = 253
const mostInLabel = 63

// Format characters include those that change the direction of text. U+2800 is a blank braille pattern.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
const everyInvisible = new RegExp(invisible, 'gu')
const urlSyntax = /[/?#:\\%|^]/
const word = String.raw`[\w!#$%&'*+/=?^\x60{|}~\p{L}\p{M}\p{N}-]+`
const localPart = new RegExp(String.raw`^(?!\p{M})${word}(?:\.${word})*$`, 'u')
// UTS 46 also treats the three other characters as full stops.
const domainCharacters = /^[\p{L}\p{M}\p{N}_.\u3002\uFF0E\uFF61-]+$/u
const label = /^[a-z\d_](?:[a-z\d_-]*[a-z\d_])?$/

/**
 * Reads an email address: the only function of the portal that decides which addresses are the same. It does not fold
 * anything that mail servers may distinguish: letters before the @ that are not ASCII stay as they are; the domain goes
 * through UTS 46, as in browsers, which makes it exactly the one that mail is sent to. Browser and server give the same
 * result, but only the server's is stored; the database computes none.
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

/** Returns the domain of an address in ASCII. */
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

// Other letters have different lower cases in other programs and languages.
const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Returns the key of an address; null for other texts. */
export function emailKey(text: string): string | null {
  const read = readEmailAddress(text)
  return 'key' in read ? read.key : null
}

/**
 * Returns the key of a caller by their text in lists and logs: an address, or the name of a service identity or of a
 * part of the portal, which is compared as it is.
 */
export const callerKey = (name: string): string => emailKey(name) ?? name

/** Returns whether two texts name the same caller. */
export const isSameCaller = (one: string, other: string): boolean => callerKey(one) === callerKey(other)

/** Returns the domain of a key. */
export const domainOfKey = (key: string): string => key.slice(key.indexOf('@') + 1)

/** Returns the domain of a text in ASCII, as in keys; null if it is not a domain of addresses. */
export function domainKey(text: string): string | null {
  const read = readDomain(withoutOuterSpace(text))
  return 'ascii' in read ? read.ascii : null
}

/**
 * Reads the items of a list. `problems` has a message for each that is no address: `inWords`, or the item with its fix.
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

/** Returns the addresses without repeated ones. Texts that are not addresses stay. */
export function withoutRepeated(addresses: readonly string[]): string[] {
  const repeated = new Set(repeatedAddresses(addresses))
  return addresses.filter((_address, index) => !repeated.has(index))
}

/** Returns the positions of repeated addresses. */
export function repeatedAddresses(addresses: readonly string[]): number[] {
  return repeatedPositions(addresses.map(callerKey))
}
