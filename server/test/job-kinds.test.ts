import type { DeleteRecord } from '@portico/contract/deletes'
import type { Import } from '@portico/contract/imports'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { jobKinds } from '../src/worker.ts'
import { memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { addCron, crons, runsOf } from '#test/resources/crons.ts'
import { removeIdentity } from '#test/resources/dashboards.ts'
import { deliveryOf, exportWith } from '#test/resources/deliveries.ts'
import { createExport, exportDraft, readExport } from '#test/resources/exports.ts'
import { submit } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { dashboardOf, instructionFor, peopleTable, reportCron } from '#test/resources/reports.ts'
import { askForReview } from '#test/resources/reviews.ts'
import { runSchedulerOnce } from '#test/resources/scheduling.ts'

// Each kind of job declares whose rights it acts with: those of its holder, which the worker checks before it begins,
// or none, and why. A new kind needs an entry here, or a reason.

let portal: TestPortal
let owner: Member
/** How each job of the makers ended, once the worker runs. */
const ends = new Map<string, () => Promise<{ status: string; reason: unknown }>>()

/** Submits a job of a kind; returns a function that reads its state. */
type Submit = (maker: Member) => Promise<() => Promise<{ status: string; reason: unknown }>>

const aHook = {
  type: 'http' as const,
  method: 'post' as const,
  endpoint: 'http://127.0.0.1:9/hook',
  headers: {},
  body: { file: '{{url}}' },
}

const judged: Record<string, Submit> = {
  'run-import': async (maker) => {
    const { _id } = await submit(portal, maker, 'Name\nEve\n')
    return async () => {
      const { status, recoveryError } = (await owner.get(`/contact-service/v1/imports/${_id}`)).json<Import>()
      return { status, reason: recoveryError }
    }
  },
  'run-delete': async (maker) => {
    const filter = [{ $match: { Name: { $exists: true } } }]
    // The reply comes at the end of the delete.
    void maker.delete('/contact-service/v1/offers', { filter, deletedRecords: contacts })
    const find = async () => (await owner.get('/contact-service/v1/deletes')).json<DeleteRecord[]>()[0]
    await vi.waitUntil(find, { timeout: 20_000, interval: 20 })
    return async () => ({ status: (await find())?.status ?? 'gone', reason: (await find())?.reason })
  },
  'run-export': async (maker) => {
    const { _id } = await createExport(maker, exportDraft(['Name']))
    return async () => {
      const { status, recoveryError } = await readExport(owner, _id)
      return { status, reason: recoveryError }
    }
  },
  'review-import': async (maker) => {
    const { _id } = await askForReview(portal, maker, 'Name\nEve\n')
    return async () => {
      const { rows } = await portal.parts.database.pool.query<{ status: string; reason: unknown }>(
        `SELECT status, recovery_error AS reason FROM account_${maker.account}.import_reviews WHERE id = $1`,
        [_id],
      )
      return rows[0] ?? { status: 'gone', reason: null }
    }
  },
  'run-report': async (maker) => {
    const cron = await addCron(maker, reportCron(instructionFor(await dashboardOf(maker, peopleTable))))
    expect(await maker.post(`${crons}/${cron._id}/run`)).toMatchObject({ status: 202 })
    await runSchedulerOnce(portal.parts)
    return async () => {
      const [run] = await runsOf(owner, cron._id)
      return { status: run?.status === 'terminated' ? 'rejected' : (run?.status ?? 'gone'), reason: run?.comment }
    }
  },
  'run-delivery': async (maker) => {
    const made = await exportWith(portal, maker, aHook)
    return async () => {
      const { status, result } = await deliveryOf(owner, made._id)
      return { status, reason: result }
    }
  },
}
// More than a request deletes by itself.
const contacts = 1001

beforeAll(async () => {
  portal = await startPortal({ outboundAllow: ['127.0.0.1'] })
  owner = await portal.member(await portal.account())
  const rows = Array.from({ length: contacts }, (_, at) => ({ Name: `Person ${at}` }))
  await addContacts(portal.parts.database, owner.account, { Name: 'string' }, rows)
  const makers: Member[] = []
  for (const [kind, submitJob] of Object.entries(judged)) {
    const maker = await memberWith(portal, owner.account, { actions: ['*::*::*'] })
    makers.push(maker)
    ends.set(kind, await submitJob(maker))
  }
  for (const maker of makers) await removeIdentity(portal, maker)
  await portal.startWorker()
})
afterAll(() => portal.close())

const rights = jobKinds.map(({ name, actsWith }) => ({
  name,
  noRight: actsWith === 'holder' ? null : actsWith.noRight,
}))

test('each kind of job uses the rights of its holder, or has a reason to need none', () => {
  const ofHolders = rights.filter(({ noRight }) => noRight === null).map(({ name }) => name)
  expect(ofHolders.toSorted()).toEqual(Object.keys(judged).toSorted())
  const reasons = rights.flatMap(({ noRight }) => noRight ?? [])
  expect(reasons.filter((reason) => !/^[A-Z].{20,}\.$/.test(reason))).toEqual([])
})

test.each(Object.keys(judged))('%s ends with the reason once its holder has lost the right', async (kind) => {
  const end = ends.get(kind)
  await expect.poll(async () => (await end?.())?.status, { timeout: 30_000 }).toBe('rejected')
  expect((await end?.())?.reason).toMatch(/no longer ha(s|ve) (access|the right)/)
})
