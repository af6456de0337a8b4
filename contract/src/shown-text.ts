// Characters that are invisible, or that change the direction of others: with one, a name can look like another name,
// and a log line like another line.

/** Controls other than tab and line ends, direction marks, and characters without width or shape. */
const hidden =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFFA0\uFFFC]|[\u{E0100}-\u{E01EF}]/gu
const harmless = /[\t\n\r]/
// They join letters of many scripts, and emoji.
const joiners = /[\u200C\u200D]/
const joined = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]$|[\p{L}\p{M}]$/u
const ofOtherScripts = /(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])./u

/** Makes text of others readable: invisible characters are written as `\u202E`. */
export function shownText(text: string): string {
  return text.replaceAll(hidden, (char, offset: number) => {
    if (harmless.test(char)) return char
    if (joiners.test(char) && isJoining(text.slice(0, offset))) return char
    return escaped(char)
  })
}

/**
 * Returns JSON of the same value, with such characters escaped. Joiners too, since programs that read it lose nothing.
 */
export const shownJson = (json: string): string =>
  json.replaceAll(hidden, (char) => (harmless.test(char) ? char : unitsOf(char).map(inJson).join('')))

/** Returns whether a joiner may follow: in Latin words, its only use is to make different words look alike. */
function isJoining(before: string): boolean {
  const last = Array.from(before.slice(-2)).at(-1) ?? ''
  return joined.test(last) && ofOtherScripts.test(last)
}

function escaped(char: string): string {
  const code = hexOf(char.codePointAt(0) ?? 0)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}

const hexOf = (code: number): string => code.toString(16).toUpperCase()
const unitsOf = (char: string): number[] => Array.from({ length: char.length }, (_, at) => char.charCodeAt(at))
const inJson = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`
