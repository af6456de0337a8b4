import type { AccountId } from '@portico/contract/accounts'
import { AppError } from '../app-error.ts'

/** Lets each party use a limited number of places at a time; further requests of the party wait in order. */
export type Shares = {
  /**
   * Waits for a place, and returns the function that frees it.
   * @throws unavailable if none becomes free in time; the reason of `signal` if that is aborted first
   */
  take: (party: string, signal: AbortSignal | undefined) => Promise<() => void>
}

type Waiting = { go: () => void }
type Party = { running: number; line: Waiting[] }

export function createShares({ most, waitMs }: { most: number; waitMs: number }): Shares {
  const parties = new Map<string, Party>()

  function end(name: string, party: Party): void {
    const next = party.line.shift()
    if (next) return next.go()
    party.running--
    if (party.running === 0) parties.delete(name)
  }
  return {
    async take(name, signal) {
      const party = parties.get(name) ?? { running: 0, line: [] }
      parties.set(name, party)
      if (party.running < most) party.running++
      else await waitIn(party.line, waitMs, signal)
      let isOver = false
      return () => {
        if (!isOver) end(name, party)
        isOver = true
      }
    },
  }
}

async function waitIn(line: Waiting[], waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const leave = (reason: Error): void => {
      line.splice(line.indexOf(waiting), 1)
      settle()
      reject(reason)
    }
    const onAbort = (): void => leave(signal?.reason as Error)
    const timer = setTimeout(() => leave(new AppError('unavailable')), waitMs)
    const settle = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    const waiting: Waiting = {
      go: () => {
        settle()
        resolve()
      },
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    line.push(waiting)
  })
}

/**
 * The person or program that a request is for, and the account that it uses, with its parent: accounts with the same parent
 * are of one company.
 */
export type Beneficiary = { person: string; account: AccountId | null; parent?: AccountId | null }

/** The top account of a beneficiary's accounts; null before one is chosen. */
export const familyOf = ({ account, parent }: Beneficiary): AccountId | null => parent ?? account

const beneficiaries = new WeakMap<AbortSignal, Beneficiary>()

/** Records the beneficiary of a request by its signal, which all work for the request has. */
export function markFor(signal: AbortSignal, beneficiary: Beneficiary): void {
  beneficiaries.set(signal, beneficiary)
}

/** Returns the beneficiary that was recorded for a signal; undefined for jobs and calls without a sign-in. */
export function beneficiaryOf(signal: AbortSignal | undefined): Beneficiary | undefined {
  return signal && beneficiaries.get(signal)
}

/** Places of a pool for each person, account and family of accounts. */
export type PoolShares = {
  take: (beneficiary: Beneficiary, signal: AbortSignal | undefined) => Promise<() => void>
}

/**
 * Gives each person, in all accounts together, a third of `places`, each account two thirds, and a parent account with its
 * sub-accounts five sixths: all their people and programs together leave a sixth for others.
 */
export function createPoolShares(places: number, waitMs: number): PoolShares {
  const ofPerson = createShares({ most: Math.ceil(places / 3), waitMs })
  const ofAccount = createShares({ most: Math.ceil((places * 2) / 3), waitMs })
  const ofFamily = createShares({ most: Math.floor((places * 5) / 6), waitMs })
  return {
    async take(beneficiary, signal) {
      const { person, account } = beneficiary
      const wanted: [Shares, string | number | null][] = [
        [ofPerson, person],
        [ofAccount, account],
        [ofFamily, familyOf(beneficiary)],
      ]
      const taken: (() => void)[] = []
      const free = (): void => taken.toReversed().forEach((each) => each())
      try {
        for (const [shares, party] of wanted) if (party !== null) taken.push(await shares.take(String(party), signal))
        return free
      } catch (error) {
        free()
        throw error
      }
    },
  }
}
