/** Letters in a row that an index of trigrams knows a text by. */
const most = 3

/**
 * Returns whether an index of trigrams helps to find the texts that a pattern matches: each of them has three letters or digits
 * in a row that the pattern spells out. A pattern that is not valid may give either.
 * @param isAsciiOnly whether the index takes letters beyond ASCII for separators
 */
export function isServedByTrigrams(pattern: string, { isAsciiOnly }: { isAsciiOnly: boolean }): boolean {
  return isFoundByTrigrams(pattern) && hasFixedLetters(pattern, isAsciiOnly ? /[a-z0-9]/i : /[\p{L}\p{N}]/u)
}

/** False where that would take more than reading the pattern from left to right, as with alternatives. */
function hasFixedLetters(pattern: string, letter: RegExp): boolean {
  const chars = Array.from(pattern)
  let run = 0
  let longest = 0
  const end = (letters: number): void => {
    longest = Math.max(longest, letters)
    run = 0
  }
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    if (char === '|') return false
    // A group may be optional, and a class is any of several letters.
    if (char === '(' || char === '[') return Math.max(longest, run) >= most && !chars.includes('|', at)
    if (letter.test(char)) run++
    else if (char === '?' || char === '*' || char === '{') {
      end(run - 1)
      // Of a number of repetitions, the digits are no text.
      if (char === '{') at = Math.max(at, chars.indexOf('}', at))
    } else {
      end(run)
      if (char === '\\') at++
    }
  }
  end(run)
  return longest >= most
}

/**
 * Returns whether an index of trigrams finds every text that a regular expression matches. The index knows small letters, and
 * takes for granted that an expression which matches a capital letter in either case matches its small letter too. Some letters
 * break that: the small form of the capital of `ſ` is `s`, and that of `İ` is of two letters or of ASCII. So expressions
 * with such letters, or with signs that may stand for them, are tested against the texts themselves.
 */
export function isFoundByTrigrams(pattern: string): boolean {
  const letters = Array.from(pattern)
  for (let at = 0; at < letters.length; at++) {
    // A letter or digit that is escaped may stand for any letter.
    if (letters[at] === '\\' && /[^\W_dDsSwWbB]/.test(letters[++at] ?? '')) return false
  }
  // The ends of a range hide what is between.
  const isAscii = letters.every((letter) => letter <= '\x7f')
  return isAscii || (!pattern.includes('[') && letters.every(foldsAlike))
}

/** The last of the letters whose case no version of Unicode changes any more, of the alphabets that most names have. */
const lastSettled = 0x52f

function foldsAlike(letter: string): boolean {
  if (letter <= '\x7f') return true
  const [small, capital] = [letter.toLowerCase(), letter.toUpperCase()]
  if (small === letter && capital === letter) return /\P{Cn}/u.test(letter)
  const isOneLetter = Array.from(small).length === 1 && Array.from(capital).length === 1
  const isSettled = (letter.codePointAt(0) ?? 0) <= lastSettled
  return isSettled && isOneLetter && small > '\x7f' && capital.toLowerCase() === small
}
