/** A party that holds something, the most of it that it may hold together, and how more is refused. */
export type Claim = { party: string; most: number; refusal: () => Error }

/** How much parties, such as a person and a network, hold of something limited at the moment. */
export type Holdings = {
  /**
   * Counts the amount to all of the parties, until the returned function is called. A party that holds nothing may have any
   * amount.
   * @throws the refusal of the first party that would hold too much
   */
  take: (claims: readonly Claim[], amount?: number) => () => void
  /** @throws the refusal of the first party that holds as much as it may */
  requireRoom: (claims: readonly Claim[]) => void
  /** Whether any party holds something. */
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
