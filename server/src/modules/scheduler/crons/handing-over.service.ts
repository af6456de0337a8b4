import { type OwnedWork, receptionOf } from '#access'
import { recordAudit } from '#audit'
import { nextVersion } from '#platform/rows/versions.ts'
import type { Consumers } from '../consumers.ts'
import { lockCron, selectNow, updateCronRow } from './crons.queries.ts'
import { consumerOf, holderForRuns, instructionOf, requireCron } from './found-cron.ts'
import { selectOwnedCrons } from './owned.queries.ts'
import { savingCall } from './saved-cron.ts'

/** Crons can be handed over: their runs have the rights of the receiver from then on, as if they had saved them. */
export const ownedCrons = (consumers: Consumers): OwnedWork => ({
  kind: 'cron',
  list: selectOwnedCrons,
  receive: (db, { receiver: { account, caller } }, id) =>
    receptionOf(async () => {
      const cron = await requireCron(db, account, id)
      const saving = savingCall({ ...cron, updated_at: await selectNow(db) })
      const consumer = consumerOf(consumers, cron.consumer)
      return holderForRuns(account, caller, consumer, { instruction: instructionOf(cron), saving })
    }),
  async move(tx, { row: { id, account, version }, holder, from, to, by }) {
    const { personId: _, ...actor } = by
    const cron = await lockCron(tx, account, id)
    if (!cron || cron.terminated_at || cron.version !== version) return false
    const next = nextVersion(cron, actor, ['author'])
    await updateCronRow(tx, account, id, { holder, author: to.email, updated_at: await selectNow(tx), ...next })
    const details = { id, from: from.email, to: to.email }
    await recordAudit(tx, { account, ...actor, action: 'cron handed over', subject: cron.name, details })
    return true
  },
})
