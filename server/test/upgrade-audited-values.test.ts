import type { AuditEntry } from '@portico/contract/audit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '#platform/migrations.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// The audit log of an earlier release, in which entries about contacts had the values before and after.

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
  const { pool, url } = portal.parts.database
  const entries = [
    [
      'contact edited',
      { change: '1', fields: { Salary: { old: 1000, new: 987_654 }, City: { old: null, new: 'Lima' } } },
    ],
    ['contact change undone', { change: '2', undoes: '1', fields: { Salary: { old: 987_654, new: 1000 } } }],
    ['contact added', { change: '3', fields: {} }],
    ['field changed', { fields: { name: { old: 'City', new: 'Town' } } }],
  ] as const
  for (const [action, details] of entries) {
    await pool.query(
      `INSERT INTO portico.audit_log (account_id, at, actor, action, subject, details, via)
       VALUES ($1, now(), 'ada', $2, 'of before', $3, 'session')`,
      [member.account, action, JSON.stringify(details)],
    )
  }
  await pool.query(`DELETE FROM portico.migrations WHERE name LIKE '%-audited-values.sql'`)
  await migrate(url)
})
afterAll(() => portal.close())

test('the names of contact fields are kept, and their values are removed', async () => {
  const entries = (await member.get('/identity/v1/audit?what=of%20before')).json<AuditEntry[]>()
  expect(entries.map(({ action, details }) => [action, details]).toReversed()).toEqual([
    ['contact edited', { change: '1', fields: ['City', 'Salary'] }],
    ['contact change undone', { change: '2', undoes: '1', fields: ['Salary'] }],
    ['contact added', { change: '3', fields: [] }],
    ['field changed', { fields: { name: { old: 'City', new: 'Town' } } }],
  ])
})
