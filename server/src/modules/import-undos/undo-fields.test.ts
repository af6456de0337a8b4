import type { UndoFigures } from '@portico/contract/import-undo'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { addCron } from '#test/resources/crons.ts'
import { createDashboard, definition } from '#test/resources/dashboards.ts'
import { fieldUses, importAtOnce, readImport, runUndoOf } from '#test/resources/import-undos.ts'
import { makePolicy } from '#test/kit/administration.ts'
import { lockWaits } from '#test/kit/lock-waits.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The fields that an undo removes: those of a wide import are searched for in all stored texts at once.

let portal: TestPortal
let owner: Member
beforeAll(async () => {
  // No worker in this process: the tests run the jobs themselves.
  portal = await startPortal()
})
afterAll(() => portal.close())
beforeEach(async () => {
  owner = await portal.member(await portal.account())
})

const imports = '/contact-service/v1/imports'
const addFilter = async (name: string, field: string): Promise<void> => {
  const aggregateQuery = JSON.stringify([{ $match: { [field]: 'x' } }])
  expect(await owner.post('/contact-service/v1/rdls', { name, aggregateQuery })).toMatchObject({ status: 201 })
}
const addDashboard = (field: string) => {
  const cell = (at: number) => ({
    cols: 12,
    chart: { type: 'Table', title: `T${at}`, filter: { standard: [{ $match: { [field]: 'x' } }], columns: ['C1'] } },
  })
  return createDashboard(owner, { definition: definition(...Array.from({ length: 60 }, (_, at) => [cell(at)])) })
}

/** Imports a contact with this many fields C0, C1 and so on, all of them new. */
async function importWide(count: number): Promise<string> {
  const names = Array.from({ length: count }, (_, at) => `C${at}`)
  const { _id, status } = await importAtOnce(portal, owner, `${names.join()}\n${names.join()}\n`, {
    dedupColumns: [],
    purlColumns: [],
    generatePURL: false,
  })
  expect(status).toBe('completed')
  return _id
}
async function requestUndo(id: string): Promise<void> {
  expect(await owner.post(`${imports}/${id}/undo`)).toMatchObject({ status: 202 })
}
const figures = async (id: string) => (await owner.get(`${imports}/${id}/undo`)).json<UndoFigures>()

/** Calls `seen` with the kind of what is stored before each search of it. */
const watched = (seen: (kind: string) => Promise<void> | void): FieldUses[] =>
  fieldUses.map((use) => ({
    ...use,
    async *findEach(...asked) {
      await seen(use.kind)
      yield* use.findEach(...asked)
    },
  }))

test('an undo of an import with hundreds of new fields reads what is stored once', { timeout: 120_000 }, async () => {
  const id = await importWide(300)
  await addFilter('Seventh', 'c7')
  await addDashboard('C8')
  await addCron(owner, { instruction: { name: 'Daily', delimiter: 'csv', exportFields: ['C9'] } })
  const forecast = await figures(id)
  await requestUndo(id)
  const counts = new Map<string, number>()
  await runUndoOf(portal, owner, id, { uses: watched((kind) => void counts.set(kind, (counts.get(kind) ?? 0) + 1)) })
  expect((await readImport(owner, id)).undo).toMatchObject({ status: 'completed' })
  const done = await figures(id)
  expect(done.removedFields).toHaveLength(296)
  expect(done.removedFields).toEqual(forecast.removedFields)
  for (const kept of ['C1', 'C7', 'C8', 'C9']) expect(done.removedFields).not.toContain(kept)
  const { policy, 'row rule': rule, ...others } = Object.fromEntries(counts)
  expect(others).toEqual({
    filter: 1,
    index: 1,
    'remote access': 1,
    import: 1,
    'import defaults': 1,
    dashboard: 1,
    cron: 1,
  })
  // Rights are read again with each group of fields.
  expect(Math.max(policy ?? 0, rule ?? 0)).toBeLessThanOrEqual(12)
})

test('the forecast of an undo of a thousand fields answers in an account with long dashboards', async () => {
  const id = await importWide(1000)
  for (let at = 10; at < 16; at++) await addDashboard(`C${at}`)
  const { removedFields } = await figures(id)
  expect(removedFields).toHaveLength(1000 - 7)
}, 120_000)

test('while an undo searches, others change rights, and fields that are then named are kept', async () => {
  const id = await importWide(30)
  await addCron(owner, { instruction: { name: 'Daily', delimiter: 'csv', exportFields: ['C2'] } })
  const admin = await portal.powerAdmin()
  await requestUndo(id)
  const { pool } = portal.parts.database
  const holder = await pool.connect()
  await holder.query('BEGIN')
  let isHeld = false
  const isWaiting = async () => (await lockWaits(pool)).some((text) => text.includes('instruction'))
  try {
    const uses = watched(async (kind) => {
      if (kind !== 'cron' || isHeld) return
      isHeld = true
      await holder.query('LOCK TABLE portico.crons IN ACCESS EXCLUSIVE MODE')
    })
    const run = runUndoOf(portal, owner, id, { uses })
    await vi.waitUntil(isWaiting, { timeout: 20_000 })
    // It has searched the filters by now.
    for (const name of ['First', 'Second']) await makePolicy(admin, name)
    await addFilter('Third', 'C3')
    expect(await isWaiting()).toBe(true)
    await holder.query('COMMIT')
    await run
  } finally {
    holder.release()
  }
  expect((await readImport(owner, id)).undo).toMatchObject({ status: 'completed' })
  const { removedFields } = await figures(id)
  expect(removedFields).toHaveLength(28)
  for (const kept of ['C2', 'C3']) expect(removedFields).not.toContain(kept)
})

test('an undo whose last step always fails ends with a reason, and the next import runs', async () => {
  const id = await importWide(3)
  await requestUndo(id)
  const uses = watched((kind) => {
    if (kind === 'cron') throw new Error('This kind cannot be read.')
  })
  let failures = 0
  for (let attempt = 0; attempt < 10; attempt++)
    await runUndoOf(portal, owner, id, { uses }).catch(() => {
      failures++
    })
  expect((await readImport(owner, id)).undo).toMatchObject({ status: 'rejected', reason: 'Failed after 5 attempts.' })
  expect(failures).toBe(6)
  await importWide(2)
  await requestUndo(id)
  await runUndoOf(portal, owner, id)
  expect(await readImport(owner, id)).toMatchObject({ undo: { status: 'completed' } })
})
