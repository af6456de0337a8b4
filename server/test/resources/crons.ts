import type { Cron, CronDraft } from '@portico/contract/scheduler/crons'
import type { Schedule } from '@portico/contract/scheduler/schedules'
import type { z } from 'zod'
import { expect } from 'vitest'
import type { Client, TestPortal } from '#test/kit/portal.ts'

export const crons = '/scheduler/v1/crons'
export const schedules = '/scheduler/v1/schedules'

type Draft = z.input<typeof CronDraft>

let lastNumber = 0

/** Returns a cron of exports that runs daily at 9:30 UTC from tomorrow. */
export function newCron(changes: Draft = {}): Draft {
  return {
    name: `Cron ${++lastNumber}`,
    consumerCode: 'EXPORT',
    notificationEmails: 'ada@example.com',
    cronTZ: 'UTC',
    cron: '30 9 * * *',
    cronStart: dayFromToday(1),
    instruction: { name: 'Daily export', delimiter: 'csv', exportFields: ['_id'] },
    ...changes,
  }
}

/** Returns the day this many days from today, in UTC. */
export const dayFromToday = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

export async function addCron(client: Client, changes: Draft = {}): Promise<Cron> {
  const reply = await client.post(crons, newCron(changes))
  expect(reply).toMatchObject({ status: 201 })
  return reply.json<Cron>()
}

/** Moves the next due time of a cron into the past, as if the portal had not run since. */
export async function makeDue(portal: TestPortal, cron: string, dueAt: Date): Promise<void> {
  const { pool } = portal.parts.database
  await pool.query(
    `UPDATE portico.schedules SET due_at = $2 WHERE cron_id = $1 AND status = 'waiting' AND ready_at IS NULL`,
    [cron, dueAt],
  )
  // Its first day is moved before that, too.
  await pool.query(`UPDATE portico.crons SET next_due_at = $2, starts = '2026-01-01' WHERE id = $1`, [cron, dueAt])
}

/** Returns the existing runs of a cron, ordered by due time. */
export async function runsOf(client: Client, cron: string): Promise<Schedule[]> {
  const reply = await client.get(`${schedules}/?cronId=${cron}`)
  expect(reply).toMatchObject({ status: 200 })
  return reply.json<Schedule[]>().toReversed()
}
