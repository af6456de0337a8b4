/** A party that holds something, the maximum that it may hold in total, and the error that refuses more. */
export type Claim = { party: string; most: number; refusal: () => Error }

/** Tracks how much of a limited resource parties, such as a person and a network, currently hold. */
export type Holdings = {
  /**
   * Adds the amount to all of the parties, until the returned function is called. A party that holds nothing may take
   * any amount.
   * @throws the refusal of the first party that would hold too much
   */
  take: (claims: readonly Claim[], amount?: number) => () => void
  /** @throws the refusal of the first party that holds its maximum */
  requireRoom: (claims: readonly Claim[]) => void
  /** Returns whether any party holds something. */
  isAny: () => boolean
}

export function createHoldings(): Holdings {
  const held = new Map<string, number>()
  const of = ({ party }: Claim): number => held.get(party) ?? 0

  function add(claims: readonly Claim[], amount: number): void {
    for (const claim of claims) {
      const now = of(claim) + amount
      if (now > 0) held.set(claim.party, now)
      else held.delete(claim.party)
    }
  }
  return {
    take(claims, amount = 1) {
      const full = claims.find((claim) => of(claim) > 0 && of(claim) + amount > claim.most)
      if (full) throw full.refusal()
      add(claims, amount)
      let isOver = false
      return () => {
        if (!isOver) add(claims, -amount)
        isOver = true
      }
    },
    requireRoom(claims) {
      const full = claims.find((claim) => of(claim) >= claim.most)
      if (full) throw full.refusal()
    },
    isAny: () => held.size > 0,
  }
}
