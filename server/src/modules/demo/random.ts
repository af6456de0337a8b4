/** Pseudorandom numbers, always the same for the same seed. */
export type Random = {
  /** From 0 up to, not including, 1. */
  next: () => number
  /** An integer, both ends included. */
  between: (low: number, high: number) => number
  /** True with this probability. */
  chance: (probability: number) => boolean
  pick: <T>(list: readonly T[]) => T
  /** Picks in proportion to the weights. */
  pickWeighted: <T extends { weight: number }>(list: readonly T[]) => T
  /** Normally distributed: mean 0, standard deviation 1. */
  normal: () => number
}

export function seeded(seed: string): Random {
  const next = sfc32(hash128(seed))
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (probability) => next() < probability,
    pick: (list) => required(list[Math.floor(next() * list.length)]),
    pickWeighted(list) {
      let left = next() * list.reduce((sum, { weight }) => sum + weight, 0)
      return required(list.find(({ weight }) => (left -= weight) < 0) ?? list.at(-1))
    },
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is nothing to pick from')
  return value
}

type State = [number, number, number, number]

/** cyrb128: four 32-bit numbers that differ greatly even for similar seeds. */
function hash128(text: string): State {
  const state: State = [1779033703, 3144134277, 1013904242, 2773480762]
  let [a, b, c, d] = state
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  return [a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a]
}

/** Small Fast Counter: its 128 bits of state keep contacts from sharing a sequence. */
function sfc32([a, b, c, d]: State): () => number {
  return () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
}
