import type { CallSender } from '../caller-origin.ts'
import { actsAsRefusal } from '#credentials'
import type { Database } from '#platform/database.ts'
import type { PlannedAccess } from './door-plan.service.ts'
import { type Judgement, judgeCall } from './judge-call.ts'

/** How long a cached right of a saver is used: strangers cause at most one check a second for each access. */
const knownMs = 1000

type Known = { at: number; isStopped: boolean }

/** Reports whether the identity or API credential that saved an access may still do so. */
export type SaverWatch = {
  /** Uses the last known result. */
  isStopped: (access: PlannedAccess) => boolean
  /** Checks again, unless the last check was less than a second ago. */
  look: (access: PlannedAccess) => Promise<void>
}

export function createSaverWatch(database: Pick<Database, 'db' | 'pool'>): SaverWatch {
  const known = new WeakMap<PlannedAccess, Known>()
  const looking = new WeakMap<PlannedAccess, Promise<void>>()
  const recent = (access: PlannedAccess): Known | undefined => {
    const found = known.get(access)
    return found && Date.now() - found.at < knownMs ? found : undefined
  }
  async function lookNow(access: PlannedAccess): Promise<void> {
    try {
      const isStopped = access.actsAs !== null && (await actsAsRefusal(database, access.actsAs)) !== null
      known.set(access, { at: Date.now(), isStopped })
    } finally {
      looking.delete(access)
    }
  }
  return {
    isStopped: (access) => recent(access)?.isStopped ?? false,
    look: async (access) => {
      if (access.actsAs === null || recent(access)) return
      const look = looking.get(access) ?? lookNow(access)
      looking.set(access, look)
      await look
    },
  }
}

/** Runs `judgeCall` after checking the saver of the access that would serve the call. */
export async function judgeCallNow(
  watch: SaverWatch,
  accesses: readonly PlannedAccess[],
  sender: CallSender,
  names: readonly string[],
): Promise<Judgement> {
  for (;;) {
    const judged = judgeCall(accesses, sender, names, Date.now(), watch.isStopped)
    if (!judged.access) return judged
    await watch.look(judged.access)
    // Each pass excludes one access that was just found stopped.
    if (!watch.isStopped(judged.access)) return judged
  }
}
