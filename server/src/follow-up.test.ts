import { pino } from 'pino'
import { expect, test } from 'vitest'
import { followUp } from './follow-up.ts'

const failing = new Error('disk full')
const away = Object.assign(new Error('terminating connection'), { severity: 'ERROR', code: '57P01' })

async function runSteps(earlier: number, ...outcomes: (Error | null)[]) {
  const logged: string[] = []
  const log = pino({}, { write: (line: string) => void logged.push((JSON.parse(line) as { err: Error }).err.message) })
  const ran: number[] = []
  const steps = outcomes.map((outcome, at) => async () => {
    ran.push(at)
    if (outcome) throw outcome
  })
  const thrown = await followUp(log, { earlier }, steps).then(
    () => null,
    (error: unknown) => error,
  )
  return { ran, thrown, logged }
}

test('all steps run even if one fails, and the job is repeated', async () => {
  expect(await runSteps(0, null, failing, null)).toEqual({ ran: [0, 1, 2], thrown: failing, logged: [] })
})

test('work that keeps failing ends the job and is logged, so the next import begins', async () => {
  expect(await runSteps(18, failing)).toMatchObject({ thrown: failing, logged: [] })
  expect(await runSteps(19, failing, null)).toEqual({ ran: [0, 1], thrown: null, logged: ['disk full'] })
})

test('the job waits as long as the server of the account is down', async () => {
  expect(await runSteps(500, away)).toMatchObject({ thrown: away, logged: [] })
})
