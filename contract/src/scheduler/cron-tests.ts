import { z } from 'zod'
import { checkInput } from '../check-input.ts'
import type { FieldProblem } from '../errors.ts'
import { messages } from '../messages.ts'
import { type CronContext, emailTextProblems, transferProblems, zoneProblems } from './cron-problems.ts'
import type { CronDraft } from './crons.ts'
import { BiInstruction, instructionValue, NotificationSettings } from './instructions.ts'

/** The parts of a report's cron that can be tested before saving: its SFTP server, its email, its tables and charts. */
export const cronTestParts = ['transfer', 'email', 'cells'] as const
export type CronTestPart = (typeof cronTestParts)[number]

/** A table or chart as a run would have it now: its rows, or why it would fail. */
const TestedCell = z.object({
  id: z.string(),
  title: z.string(),
  rows: z.number().int().nullable(),
  error: z.string().nullable(),
})
export type TestedCell = z.output<typeof TestedCell>

export const CronTestResult = z.object({
  isOk: z.boolean(),
  message: z.string(),
  /** For `cells`. */
  cells: z.array(TestedCell).optional(),
})
export type CronTestResult = z.output<typeof CronTestResult>

const { url, rdl, offset, cells } = BiInstruction.shape

/** The parts of an instruction that each test needs. The rest may be unfinished. */
const testedInstructions = {
  transfer: z.object({ url }),
  email: z.object({ url, notification: NotificationSettings }),
  cells: z.object({ url, rdl, offset, cells }),
} as const

export type TestedInstruction = {
  [Part in CronTestPart]: z.output<(typeof testedInstructions)[Part]>
}

/** Reads the instruction of a cron as far as a test needs it; or returns all problems of the tested part, by field. */
export function readTested<Part extends CronTestPart>(
  part: Part,
  cron: CronDraft,
  kept: CronContext['kept'],
): { instruction: TestedInstruction[Part] } | { problems: FieldProblem[] } {
  const schema: z.ZodType<TestedInstruction[Part]> = testedInstructions[part] as never
  const read = checkInput(schema, instructionValue(cron.instruction) ?? {})
  const unread = (read.error?.issues ?? []).map(({ path, message }) => ({
    field: ['instruction', ...path].join('.'),
    message,
  }))
  const problems = [...unread, ...problemsOf(part, cron, { kept, instruction: read.data })]
  return read.success && problems.length === 0 ? { instruction: read.data } : { problems }
}

function problemsOf(
  part: CronTestPart,
  cron: CronDraft,
  { kept, instruction }: { kept: CronContext['kept']; instruction: object | undefined },
): FieldProblem[] {
  if (part === 'transfer') {
    const isNone = !cron.transferProtocol
    return isNone
      ? [{ field: 'transferProtocol', message: messages.required }]
      : transferProblems(cron, { consumerCode: 'BI', kept })
  }
  const zone = zoneProblems(cron.cronTZ)
  if (part === 'cells') return zone
  const { notification } = (instruction ?? {}) as Partial<TestedInstruction['email']>
  const isFrom = notification === undefined || notification.from !== ''
  const sender = isFrom ? [] : [{ field: 'instruction.notification.from', message: messages.required }]
  return [...zone, ...sender, ...emailTextProblems(notification)]
}
