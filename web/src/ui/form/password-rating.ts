import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

// A large list of passwords: import this file only with `import()`, when a password is first being chosen.

/** From 0, guessed at once, to 4, practically impossible to guess; `isCommon` = one of the 10,000 most common. */
export type Rating = { score: 0 | 1 | 2 | 3 | 4; isCommon: boolean }

const commonest = 10_000
/** Rating time grows with the length, and this many characters are enough. */
const ratedCharacters = 100

const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
const common = new Set(dictionary['passwords-common'].slice(0, commonest).map((password) => password.toLowerCase()))

export type Rate = typeof rate

/** `words` are known to attackers: the owner's email and name, the portal's names. */
export function rate(password: string, words: readonly string[]): Rating {
  const { score } = zxcvbn.check(password.slice(0, ratedCharacters), [...words])
  return { score, isCommon: common.has(password.toLowerCase()) }
}
